"""Where the programs of a run stand, as marks for the editor: by file, each program in a colour of its own."""

from collections.abc import Callable
from typing import Any, Final

from drycell.studio.api.transport import Status

_COLOURS: Final = ("#1e88e5", "#8e24aa", "#00897b", "#ef6c00", "#6d4c41", "#c2185b", "#7cb342", "#546e7a")

Marks = dict[str, list[dict[str, Any]]]


def marks_of(status: Status, name_of: Callable[[str], str | None]) -> Marks:
    """The marks of a status; ``name_of`` gives the name of a file in the open folder, None if it is not there."""
    held = status.stopped_at
    found: Marks = {}
    for number, each in enumerate(status.processes):
        if each.file is None or each.line is None or each.state == "ended":
            continue
        name = name_of(each.file)
        if name is None:
            continue
        here = held is not None and held.process == each.name
        waits = f"waits for {each.waits_for}" if each.waits_for else "waits" if each.state == "waiting" else "at work"
        found.setdefault(name, []).append(
            {
                "line": held.line if here and held is not None and name_of(held.file) == name else each.line,
                "name": each.name,
                "colour": _COLOURS[number % len(_COLOURS)],
                "held": here,
                "told": f"{each.name}: {'held here' if here else waits}",
            }
        )
    return found
