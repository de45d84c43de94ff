"""Misspelt names in Python programs: what was probably meant."""

import builtins

from drycell.base import did_you_mean


def meant(error: BaseException) -> str | None:
    """The question that names what is near an unknown name or attribute; None where nothing is."""
    if isinstance(error, AttributeError) and error.name:
        known = {name for name in dir(error.obj) if not name.startswith("_")}
    elif isinstance(error, NameError) and error.name:
        known = _in_sight(error)
    else:
        return None
    hint = did_you_mean(error.name, known)
    return hint if hint.startswith("did you mean") else None


def _in_sight(error: BaseException) -> set[str]:
    """The names that the line at fault could use."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    own = () if place is None else (*place.tb_frame.f_locals, *place.tb_frame.f_globals)
    return {name for name in (*own, *dir(builtins)) if not name.startswith("_")}
