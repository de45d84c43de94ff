"""Debugging output of a device in four kinds, each switched by itself: records in the journal, and to who listens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from drycell.base import UnknownName
from drycell.kernel import Kernel

Kind = Literal["flags", "messages", "control", "graphics"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Event flags; messages that come and go; what the device does; what is drawn of it. The order of the command DBG."""


@dataclass(frozen=True, slots=True)
class DebugRecord:
    """One line of debugging output: when (in seconds), of which device and kind, what, and its numbers by name."""

    time: float
    device: str
    kind: Kind
    what: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        told = "".join(f" {name}={value}" for name, value in self.fields.items())
        return f"{self.time:.6f} {self.device} {self.kind}: {self.what}{told}"


class Debugging:
    """The four switches of a device, all off at first."""

    def __init__(self, kernel: Kernel, device: str) -> None:
        self._kernel, self._device = kernel, device
        self._on: dict[Kind, bool] = dict.fromkeys(KINDS, False)
        self.listeners: list[Callable[[DebugRecord], None]] = []

    def __getitem__(self, kind: Kind) -> bool:
        return self._on[kind]

    def switch(self, kind: Kind, on: bool) -> None:
        """Switches one kind, and no other."""
        if kind not in self._on:
            raise UnknownName("kind of debugging output", kind, KINDS)
        self._on[kind] = on

    @property
    def switches(self) -> tuple[float, ...]:
        """All four as reals, 0 or 1."""
        return tuple(float(self._on[kind]) for kind in KINDS)

    def note(self, kind: Kind, what: str, **fields: object) -> None:
        """Tells something, if its kind is switched on."""
        if not self._on[kind]:
            return
        self._kernel.journal.write("debug", self._device, output=kind, what=what, **fields)
        record = DebugRecord(self._kernel.now / 1e6, self._device, kind, what, fields)
        for listener in self.listeners:
            listener(record)
