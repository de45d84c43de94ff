"""The design of a campaign: factors with their levels, the variants of a cell that they make, and the runs.

Every variant meets the same seeds (common random numbers), so variants are compared pair by pair. Seeds are outermost
in the order of runs: the first runs of a campaign are a smaller balanced campaign.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from drycell.base import DrycellError

Kind = Literal["grid", "list", "random", "lhs"]
KINDS: Final[tuple[Kind, ...]] = ("grid", "list", "random", "lhs")
BASE: Final = "as it stands"
"""The level of a factor that leaves the cell unchanged."""
MOST_RUNS: Final = 10_000_000

_SPAN: Final = re.compile(
    r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\.\.\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)(?:/(\d+))?\s*(.*)"
)
_NUMBER: Final = re.compile(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S.*)?")
_RANGE: Final = re.compile(r"(\d+)(?:\.\.(\d+)(?:/(\d+))?)?")


@dataclass(frozen=True, slots=True)
class FactorLevel:
    """One level of a factor: what it changes in the cell. ``number`` is its size, if it has one, for correlations."""

    label: str
    settings: tuple[tuple[str, str], ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A continuous range of a field: ``40..80 mm/s``. Random designs draw values from it."""

    low: float
    high: float
    unit: str = ""

    def text(self, share: float) -> str:
        """Return the value at a fraction of the range, as written in a cell file. Six digits are kept."""
        value = float(f"{self.low + (self.high - self.low) * share:.6g}")
        return f"{value:g} {self.unit}".strip() if abs(value) < 1e6 else f"{value!r} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that differs between the variants of a cell: a field, a program or a fault."""

    name: str
    levels: tuple[FactorLevel, ...] = ()
    span: Span | None = None

    def at(self, share: float) -> FactorLevel:
        """Return the level at a fraction of the factor's range."""
        if self.span is not None:
            return _field_level(self.name, self.span.text(share))
        return self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)]


def _field_level(path: str, text: str) -> FactorLevel:
    found = _NUMBER.fullmatch(text)
    number = float(found[1]) if found and found[1].count(".") < 2 else None
    return FactorLevel(text, settings=((path, text),), number=number)


def values(path: str, *given: object) -> Factor:
    """Return a factor that sets a field of the cell file to each of some values: ``values("belt.speed", "40 mm/s",
    "60 mm/s")``.

    Args:
        path: The field, as for ``drycell run --set``.
        *given: The values, as written in a cell file.

    Raises:
        DrycellError: There is no value, or one is given twice.
    """
    texts = [str(each).strip() for each in given]
    if not texts or not all(texts) or len(set(texts)) < len(texts):
        raise DrycellError(f"{path} needs different values, not {', '.join(texts) or 'none'}", hint=_VALUES)
    return Factor(path, tuple(_field_level(path, text) for text in texts))


def span(path: str, low: float, high: float, unit: str = "", count: int | None = None) -> Factor:
    """Return a factor that varies a field between two values.

    Args:
        path: The field, as for ``drycell run --set``.
        low: The least value, in ``unit``.
        high: The greatest value, in ``unit``.
        unit: The unit, such as ``mm/s``.
        count: The number of evenly spaced values. Without it, only random designs can use the factor.

    Raises:
        DrycellError: The range is empty, or has fewer than two values.
    """
    found = Span(low, high, unit.strip())
    if not low < high:
        raise DrycellError(f"{path} varies from {low:g} to {high:g}, which is empty", hint="write the lower one first")
    if count is None:
        return Factor(path, span=found)
    if count < 2:
        raise DrycellError(f"{path} has {count} value between its limits", hint="ask for at least 2: 40..80/5 mm/s")
    return values(path, *(found.text(place / (count - 1)) for place in range(count)))


_VALUES: Final = "write values ('40 mm/s,60 mm/s'), evenly spaced values ('40..80/5 mm/s') or a range ('40..80 mm/s')"


def varied(text: str) -> Factor:
    """Read a factor from the command line: ``belt.speed=40 mm/s,60 mm/s`` or ``belt.speed=40..80/5 mm/s``.

    Raises:
        DrycellError: The text does not have this form.
    """
    path, sign, given = text.partition("=")
    path = path.strip()
    if not (path and sign and given.strip()):
        raise DrycellError(f"--vary takes PATH=VALUES, not {text!r}", hint=_VALUES)
    parts = _split(given)
    if len(parts) == 1 and (found := _SPAN.fullmatch(parts[0])):
        try:
            low, high = float(found[1]), float(found[2])
        except ValueError:
            raise DrycellError(f"{given!r} is not a range of numbers", hint=_VALUES) from None
        return span(path, low, high, found[4], int(found[3]) if found[3] else None)
    return values(path, *parts)


def programs(name: str, *files: str | Path) -> Factor:
    """Return a factor that replaces a program by each of some files: ``programs("robot", "robot.pas", "robot.py")``.

    Args:
        name: The program.
        *files: The files, in the current folder or the folder of the cell.

    Raises:
        DrycellError: There is no file, or one is given twice.
    """
    texts = [str(each).strip() for each in files]
    if not texts or not all(texts) or len(set(texts)) < len(texts):
        raise DrycellError(
            f"program {name} needs different files, not {', '.join(texts) or 'none'}",
            hint="write for example --program robot=robot.pas,robot.py",
        )
    return Factor(name, tuple(FactorLevel(text, programs=((name, text),)) for text in texts))


def exchanged(text: str) -> Factor:
    """Read a factor from the command line: ``robot=robot.pas,robot.py``.

    Raises:
        DrycellError: The text does not have this form.
    """
    name, sign, given = text.partition("=")
    if not (name.strip() and sign and given.strip()):
        raise DrycellError(f"--program takes NAME=FILE,…, not {text!r}", hint="write for example robot=a.pas,b.py")
    return programs(name.strip(), *_split(given))


def faults(*texts: str) -> Factor:
    """Return a factor with the cell as it stands, and with each fault: ``faults("sensor2: {dropout: 0.5 %}")``.

    Args:
        *texts: Each is one signal with its faults, as below ``faults`` in a cell file; a single fault needs no list.

    Raises:
        DrycellError: A text does not have this form, or is given twice.
    """
    levels = [FactorLevel(BASE)]
    for text in texts:
        signal, colon, given = text.partition(":")
        given, signal = given.strip(), signal.strip()
        if not (signal and colon and given):
            raise DrycellError(f"--fault takes SIGNAL: FAULT, not {text!r}", hint="write 'sensor2: {dropout: 0.5 %}'")
        listed = given if given.startswith("[") else f"[{given}]"
        levels.append(FactorLevel(f"{signal}: {given}", settings=((f"faults.{signal}", listed),)))
    if len({each.label for each in levels}) < len(levels):
        raise DrycellError("a fault is given twice", hint="keep one of them")
    return Factor("fault", tuple(levels))


def _split(text: str) -> list[str]:
    """Split at commas that are not inside brackets, braces or quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{(":
            depth += 1
        elif sign in "]})":
            depth -= 1
        elif sign == "," and not depth:
            parts.append(text[start:place])
            start = place + 1
    return [each.strip() for each in (*parts, text[start:])]


def seeds(text: str) -> list[int]:
    """Read seeds: ``0..99``, ``0..990/10`` (every tenth) or ``3,5,8``.

    Raises:
        DrycellError: The text does not have this form, or a seed is given twice.
    """
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or int(match[3] or 1) < 1 or int(match[2] or match[1]) < int(match[1]):
            raise DrycellError(f"{text!r} are not seeds", hint="write for example 0..999, 0..990/10 or 3,5,8")
        first, last = int(match[1]), int(match[2] or match[1])
        if (last - first) // int(match[3] or 1) >= MOST_RUNS:
            raise DrycellError(f"{text!r} are more than {MOST_RUNS:,} seeds", hint="run them as several campaigns")
        found += range(first, last + 1, int(match[3] or 1))
    if len(set(found)) < len(found):
        raise DrycellError(f"{text!r} has a seed twice", hint="give each seed once")
    return found


# ---------------------------------------------------------------- variants and points


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of the cell: its level of each factor, and the settings and programs that they amount to."""

    labels: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, levels: Mapping[str, FactorLevel]) -> "Variant":
        """Combine one level of each factor."""
        settings = [each for level in levels.values() for each in level.settings]
        exchanged = [each for level in levels.values() for each in level.programs]
        return cls(
            {name: level.label for name, level in levels.items()},
            dict(settings),
            dict(exchanged),
            {name: level.number for name, level in levels.items() if level.number is not None},
        )

    @property
    def label(self) -> str:
        """The variant in words: ``belt.speed = 40 mm/s, robot = robot.py``."""
        return ", ".join(f"{name} = {label}" for name, label in self.labels.items()) or BASE

    def data(self) -> dict[str, Any]:
        """The variant as plain data."""
        return {
            "labels": dict(self.labels),
            "set": dict(self.settings),
            "program": dict(self.programs),
            "numbers": dict(self.numbers),
        }


@dataclass(frozen=True, slots=True)
class RunPoint:
    """One run to make: a variant and a seed, and how long it lasts. Equal points have equal keys on all machines."""

    seed: int
    until: float | None = None
    after: float = 0.0
    settings: tuple[tuple[str, str], ...] = ()
    programs: tuple[tuple[str, str], ...] = ()

    def data(self) -> dict[str, Any]:
        """The point as plain data; what is not given is omitted."""
        found: dict[str, Any] = {"seed": self.seed}
        if self.until is not None:
            found["until"] = self.until
        if self.after:
            found["after"] = self.after
        if self.settings:
            found["set"] = dict(self.settings)
        if self.programs:
            found["program"] = dict(self.programs)
        return found

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "RunPoint":
        """Restore a point from plain data."""
        settings, exchanged = data.get("set", {}), data.get("program", {})
        return cls(
            data["seed"], data.get("until"), data.get("after", 0.0), tuple(settings.items()), tuple(exchanged.items())
        )

    @property
    def key(self) -> str:
        """Identifies the run in a campaign: 20 hexadecimal digits."""
        text = json.dumps(self.data(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Design:
    """How factors are combined to variants, and the seeds that every variant meets.

    Kinds: ``grid`` (every combination), ``list`` (the first levels together, then the second, …), ``random`` and
    ``lhs`` (``points`` variants: drawn independently, or as a Latin hypercube, which covers each factor evenly).
    """

    factors: tuple[Factor, ...] = ()
    seeds: tuple[int, ...] = (0,)
    kind: Kind = "grid"
    points: int | None = None
    draw: int = 0
    """The seed of random designs. It is not a seed of the cell."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DrycellError(f"there is no design {self.kind!r}", hint=f"choose one of {', '.join(KINDS)}")
        names = [each.name for each in self.factors]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise DrycellError(f"{twice} is varied twice", hint="give all its values at once")
        if not self.seeds:
            raise DrycellError("a campaign needs at least one seed", hint="write for example --seeds 0..99")
        drawn = self.kind in ("random", "lhs")
        if drawn and (self.points is None or self.points < 1):
            raise DrycellError(f"the design {self.kind} needs the number of variants", hint="write --points 50")
        if not drawn and self.points is not None:
            raise DrycellError(f"the design {self.kind} has no --points", hint="write --design lhs for a random design")
        for each in self.factors if not drawn else ():
            if each.span is not None:
                low, high, unit = each.span.low, each.span.high, each.span.unit
                raise DrycellError(
                    f"{each.name} has a continuous range, of which a {self.kind} needs single values",
                    hint=f"write {each.name}='{low:g}..{high:g}/5 {unit}' for five, or --design lhs --points 50",
                )
        counts = {len(each.levels) for each in self.factors}
        if self.kind == "list" and len(counts) > 1:
            found = ", ".join(f"{each.name} {len(each.levels)}" for each in self.factors)
            raise DrycellError(f"the design list needs equally many levels of each factor, not {found}")

    def variants(self) -> list[Variant]:
        """Return all variants in order. Equal draws of a random design are kept once."""
        names = [each.name for each in self.factors]
        combined = [Variant.of(dict(zip(names, levels, strict=True))) for levels in self._levels()]
        return list({json.dumps(each.data(), sort_keys=True): each for each in combined}.values())

    def _levels(self) -> Iterable[tuple[FactorLevel, ...]]:
        if self.kind == "grid":
            return itertools.product(*(each.levels for each in self.factors))
        if self.kind == "list":
            return zip(*(each.levels for each in self.factors), strict=True) if self.factors else [()]
        columns = [self._shares(place) for place in range(len(self.factors))]
        rows = zip(*columns, strict=True) if columns else [()]
        return [tuple(each.at(share) for each, share in zip(self.factors, row, strict=True)) for row in rows]

    def _shares(self, place: int) -> list[float]:
        """Draw the positions of one factor in its range. Adding a factor does not change those of the others."""
        count, random = self.points or 0, Random(f"{self.draw} {self.factors[place].name}")
        if self.kind == "random":
            return [random.random() for _ in range(count)]
        strata = list(range(count))
        random.shuffle(strata)
        return [(stratum + random.random()) / count for stratum in strata]


def points_of(
    variants: Sequence[Variant], seeds: Sequence[int], until: float | None, after: float
) -> Iterator[tuple[Variant, RunPoint]]:
    """Yield the runs of a campaign in order: all variants with the first seed, then with the second, …"""
    for seed in seeds:
        for each in variants:
            yield each, RunPoint(seed, until, after, tuple(each.settings.items()), tuple(each.programs.items()))
