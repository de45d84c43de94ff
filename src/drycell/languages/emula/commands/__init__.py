"""The commands and functions of the language; importing this enters all of them into ``routines.ROUTINES``."""

from drycell.languages.emula.commands import calculation, motions, session, world

__all__ = ["calculation", "motions", "session", "world"]
