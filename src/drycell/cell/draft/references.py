"""References: which fields of a cell file name a thing of the cell, so that they follow when it is renamed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from drycell.datafile import FieldPath

Kind = Literal["body", "signal", "robot", "controller"]

# What the things of a section can be named as.
NAMED_AS: Final[Mapping[str, tuple[Kind, ...]]] = {
    "bodies": ("body",),
    "robots": ("body", "robot"),
    "sensors": ("body", "signal"),
    "devices": ("body", "signal"),
    "signals": ("signal",),
    "controllers": ("controller",),
}
_WORD: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*")


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names something: a value, a key, or (``within``) words of an expression."""

    path: FieldPath
    kind: Kind
    name: str
    how: Literal["value", "key", "within"] = "value"


@dataclass(frozen=True, slots=True)
class Thing:
    """What is named: its name, the section it stands in, and names of others that may only look as if below it."""

    section: str
    name: str
    others: frozenset[str] = frozenset()

    def is_meant(self, reference: Reference) -> bool:
        """Whether a reference is to this thing or to something below it."""
        return reference.kind in NAMED_AS.get(self.section, ()) and self._matches(reference.name, reference.kind)

    def _matches(self, name: str, kind: Kind) -> bool:
        if name == self.name:
            return True
        # The links of a robot and the signals of a device are called after it; what the file has on its own is not.
        joint = "/" if kind == "body" else "."
        if not name.startswith(f"{self.name}{joint}") or (kind == "signal" and self.section != "devices"):
            return False
        longer = (each for each in self.others if each.startswith(f"{self.name}{joint}"))
        return not any(name == each or name.startswith((f"{each}/", f"{each}.")) for each in longer)

    def renamed(self, name: str, new: str) -> str:
        """A name that means this thing, or one below it, after the thing got a new name."""
        return new + name[len(self.name) :]

    def renamed_within(self, text: str, new: str) -> str:
        """An expression in which it is named, after it got a new name."""

        def word(match: re.Match[str]) -> str:
            found = match.group()
            return self.renamed(found, new) if self._matches(found, "signal") else found

        return _WORD.sub(word, text)


def references(data: Mapping[str, Any]) -> Iterator[Reference]:
    """All places of a cell file, as plain data, that name bodies, robots, signals or controllers."""
    for section, fields in (
        ("bodies", ("on", "parent")),
        ("robots", ("on", "parent")),
        ("devices", ("on", "parent")),
        ("workpoints", ("on",)),
        ("sensors", ("on",)),
    ):
        for name, entry in _entries(data, section):
            for field in fields:
                yield from _value((section, name, field), "body", entry.get(field))
    for name, entry in _entries(data, "sensors"):
        for index, ignored in enumerate(_list(entry.get("ignore"))):
            yield from _value(("sensors", name, "ignore", index), "body", ignored)
        yield from _faults(("sensors", name, "faults"), entry.get("faults"))
    yield from _checks(data)
    for name in _mapping(data.get("tolerances")):
        yield Reference(("tolerances", name), "body", name, "key")
    for name, faults in _mapping(data.get("faults")).items():
        yield Reference(("faults", name), "signal", name, "key")
        yield from _faults(("faults", name), faults)
    for name, entry in _entries(data, "controllers"):
        yield from _value(("controllers", name, "robot"), "robot", entry.get("robot"))
        for lines in ("inputs", "outputs"):
            for line, signal in _mapping(entry.get(lines)).items():
                yield from _value(("controllers", name, lines, line), "signal", signal)
    for name, entry in _entries(data, "programs"):
        yield from _value(("programs", name, "controller"), "controller", entry.get("controller"))
    for name, entry in _entries(data, "devices"):
        for signal, rule in _mapping(_mapping(entry.get("logic")).get("rules")).items():
            path = ("devices", name, "logic", "rules", signal)
            if isinstance(rule, str):
                for word in dict.fromkeys(_WORD.findall(rule)):
                    yield Reference(path, "signal", word, "within")
            yield Reference(path, "signal", signal, "key")


def _checks(data: Mapping[str, Any]) -> Iterator[Reference]:
    crash = _mapping(_mapping(data.get("checks")).get("crash"))
    for field in ("pairs", "allowed", "near_misses"):
        for index, pair in enumerate(_list(crash.get(field))):
            for side, name in enumerate(_list(pair)[:2]):
                yield from _value(("checks", "crash", field, index, side), "body", name)
    for index, name in enumerate(_list(crash.get("everything_but"))):
        yield from _value(("checks", "crash", "everything_but", index), "body", name)


def _faults(path: FieldPath, faults: object) -> Iterator[Reference]:
    for index, fault in enumerate(_list(faults)):
        swapped = _mapping(fault).get("swapped")
        yield from _value((*path, index, "swapped"), "signal", swapped)
        yield from _value((*path, index, "swapped", "other"), "signal", _mapping(swapped).get("other"))


def _value(path: FieldPath, kind: Kind, name: object) -> Iterator[Reference]:
    if isinstance(name, str):
        yield Reference(path, kind, name)


def _entries(data: Mapping[str, Any], section: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, entry in _mapping(data.get(section)).items():
        yield name, _mapping(entry)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
