"""The commands and functions of the language. Importing this package registers them in ``routines.ROUTINES``."""

from drycell.languages.emula.commands import calculation, motions, session, world

__all__ = ["calculation", "motions", "session", "world"]
