"""One line of the journal, as data, as text for people and as JSON. Both texts are the same to the byte everywhere."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from drycell.base import KernelError
from drycell.kernel.clock import clock_text

Field = Union[None, bool, int, float, str, list["Field"]]  # noqa: UP007  # a recursive alias needs the string


@dataclass(frozen=True, slots=True)
class JournalLine:
    """What happened to whom and when. Fields carry their unit in their name (``duration_s``) or text."""

    time: int
    kind: str
    subject: str
    fields: Mapping[str, Field] = field(default_factory=dict)

    def text(self) -> str:
        """The line for people: time, subject, kind, fields."""
        head = f"{clock_text(self.time):>12}  {self.subject:<14}  {self.kind:<10}"
        return "  ".join([head, *(f"{name}={_plain(value)}" for name, value in self.fields.items())]).rstrip()

    def json(self) -> str:
        """The line for programs: one flat JSON object, ``t`` in seconds."""
        head = f'{{"t":{clock_text(self.time)},"kind":{json.dumps(self.kind)},"subject":{json.dumps(self.subject)}'
        return "".join(
            [head, *(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in self.fields.items()), "}"]
        )


def quantised(name: str, value: object) -> Field:
    """A field's value as the journal keeps it: plain types, times to 1 µs, millimetres and degrees to 1e-6, other
    floats to 1e-9 (so that a length is kept to 1 nm either way).

    Last bits differ between processors (fused multiply-add, BLAS kernels); they must not reach the journal.
    """
    if value is None or value.__class__ in (bool, int, str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(float(value))  # JSON has no word for it
        return round(float(value), 6 if name.endswith(("_s", "_mm", "_deg")) else 9) + 0.0  # + 0.0: no negative zero
    if isinstance(value, (list, tuple)):
        return [quantised(name, part) for part in value]
    if isinstance(value, (int, str)):  # an enumeration, for example
        return int(value) if isinstance(value, int) else str(value)
    item = getattr(value, "item", None)  # a scalar of numpy
    if callable(item) and getattr(value, "ndim", None) == 0:
        return quantised(name, item())
    raise KernelError(
        f"the journal cannot keep {name}={value!r}, which is of type {type(value).__name__}",
        hint="give it numbers, texts, truth values, None or lists of them",
    )


def _plain(value: Field) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, list):
        return "(" + ", ".join(map(_plain, value)) + ")"
    if isinstance(value, str):
        return value if value and not any(mark in value for mark in " =\n\t\"'") else json.dumps(value)
    return str(value)
