"""Removal: an entry goes, with whatever stands on it, and its name goes out of lists, wires, checks and tolerances."""

from drycell.cell.draft.entries import Entries
from drycell.cell.draft.references import Reference, Thing, references
from drycell.cell.draft.sheet import Sheet
from drycell.datafile import FieldPath, field_name

_CARRIED = ("on", "parent")


def removed(sheet: Sheet, entries: Entries, path: FieldPath) -> list[str]:
    """Takes an entry out of a sheet, and returns the names of the fields that went with it."""
    names = {place: (section, name) for (section, name), place in entries.paths.items()}
    waiting, gone = [path], list[str]()
    while waiting:
        place = waiting.pop(0)
        if sheet.get(place) is None and place[-1] not in (sheet.get(place[:-1]) or ()):
            continue
        section, name = names.get(place, (str(place[0]), str(place[-1])))
        others = frozenset(other for _, other in entries.paths if other != name)
        things = [Thing(section, name, others)]
        # A body takes the bodies inside it along.
        things += [Thing(s, n, others - {n}) for p, (s, n) in names.items() if p[: len(place)] == place and p != place]
        sheet.delete(place)
        if place != path:
            gone.append(field_name(place))
        while meant := _first(sheet, things):
            target = _goes(sheet, meant)
            if meant.path[0] in ("bodies", "robots", "devices", "sensors", "workpoints") and target[-1] in _CARRIED:
                if target[:-1] not in waiting:
                    waiting.append(target[:-1])
                sheet.delete(target)  # so that it is not found again; its entry goes next
                continue
            gone.append(field_name(target))
            sheet.delete(target)
    return gone


def _first(sheet: Sheet, things: list[Thing]) -> Reference | None:
    return next((each for each in references(sheet.data) if any(thing.is_meant(each) for thing in things)), None)


def _goes(sheet: Sheet, reference: Reference) -> FieldPath:
    """What is taken out when a reference has lost its meaning: itself, its pair, its fault, or logic without rules."""
    path = reference.path
    if path[2:4] == ("logic", "rules") and len(sheet.get(path[:-1])) == 1:
        return path[:2]
    if path[:2] == ("checks", "crash") and path[2] != "everything_but":
        return path[:4]
    if "swapped" in path:
        return path[: path.index("swapped")]
    return path
