"""A tactile pad on a finger, commanded by messages: the pressure on 6 × 6 cells."""

import math
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from drycell.base import Length, Pose, Problem, Ref, Size, WorldError, mm
from drycell.cell import Cell, Stage
from drycell.effector.device import LiveMessageDevice, MessageDevice, Values
from drycell.effector.effector import LiveEffector
from drycell.effector.messages import PAD, LinkTrouble
from drycell.effector.messages.mailboxes import ArrivedCommand
from drycell.world import LiveBody

CELLS: Final = 6
_DEEP: Final = 0.2 * mm  # distance at which a surface touches a cell


class Pad(MessageDevice, kind="pad", stage=Stage.WIRED, icon="fingerprint", example={"of": "gripper"}):
    """A square tactile pad at the TCP on one finger of an end effector, commanded by messages.

    >>> from drycell import Cell, Effector, Pad, mm
    >>> from drycell.effector.link import PadClient, connect
    >>> cell = Cell("bench")
    >>> hand = cell.add("hand", Effector(at=(0, 0, 200 * mm)))
    >>> pad = cell.add("pad", Pad(of="hand", finger=2))
    >>> @cell.program
    ... def planner():
    ...     with connect("cell:pad", PadClient) as touch:
    ...         print(f"{touch.status().cells} cells in contact")
    >>> result = cell.run()
    0 cells in contact
    """

    of: Annotated[str, Ref("effector")]
    """The end effector whose finger it is on."""
    finger: Literal[1, 2] = 1
    """Which finger it is on."""
    size: Size = 18 * mm
    """Length of its sides."""
    shift: Length = 0.0
    """Distance from the tool centre point towards the tip of the finger."""
    trouble: LinkTrouble = LinkTrouble()
    """Rates at which messages and commands fail."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: a pad cannot have its own pose, because its finger carries it."""
        yield from self.unplaced("a pad is where its finger is", "leave it out; 'shift' moves the pad along the finger")

    def build(self, cell: Cell, name: str) -> "LivePad":
        """Build it on its finger, with its mailboxes."""
        return LivePad(cell, name, self)


class LivePad(LiveMessageDevice[Pad]):
    """A running tactile pad. The force of the jaw is spread evenly over the cells in contact.

    Row 1 is at the tip of the finger; columns run across it. A part above or below the pad touches no cell.
    """

    def __init__(self, cell: Cell, name: str, model: Pad) -> None:
        effector = cell[model.of]
        if not isinstance(effector, LiveEffector):
            raise WorldError(f"{model.of!r} is not an end effector and has no fingers for pad {name!r}")
        self.jaw = jaw = effector.jaw
        # Its z axis points to the other finger, its x axis to the tip of its own.
        turn = Pose.turn_y(-math.pi / 2 if model.finger == 1 else math.pi / 2)
        place = Pose(0.0, jaw.tcp.y, jaw.tcp.z + model.shift) @ turn
        self.mount: LiveBody = cell.world.add(LiveBody(name), jaw.fingers[model.finger - 1], place)
        super().__init__(cell, name, model, PAD, self.mount, trouble=model.trouble)
        self._scene = cell.scene
        self._to_tip = 1.0 if model.finger == 1 else -1.0
        self._blind = frozenset((jaw.palm, *jaw.fingers, self.mount))

    @property
    def side(self) -> float:
        """Length of the sides of a cell."""
        return self.model.size / CELLS

    def on_status(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Return the current contact."""
        touched = self.touched()
        if not touched:
            return {}
        force = self.jaw.force if self.jaw.load else 0.0
        area = len(touched) * self.side**2
        across, along = (sum(self._place(cell)[k] for cell in touched) / len(touched) for k in (0, 1))
        return {
            "cells": float(len(touched)),
            "force": force,
            "centre_x": across,
            "centre_y": along,
            "peak": force / area,
            "area": area,
        }

    def on_row(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Return the pressure on the cells of a row."""
        first = (int(values["row"]) - 1) * CELLS
        row = self.pressures()[first : first + CELLS]
        return {f"cell_{column}": pressure for column, pressure in enumerate(row, 1)}

    def pressures(self) -> list[float]:
        """Return the pressure on every cell in Pa, row by row from the tip."""
        touched = self.touched()
        pressure = self.jaw.force / (len(touched) * self.side**2) if touched and self.jaw.load else 0.0
        cells = range(1, CELLS + 1)
        return [pressure * ((row, column) in touched) for row in cells for column in cells]

    def touched(self) -> list[tuple[int, int]]:
        """Return the cells in contact, as (row, column) from 1."""
        every = [(row, column) for row in range(1, CELLS + 1) for column in range(1, CELLS + 1)]
        return [cell for cell in every if self._is_touched(cell)]

    def _is_touched(self, cell: tuple[int, int]) -> bool:
        across, along = self._place(cell)
        pose = self._scene.world.pose(self.mount, self.kernel.now)
        # The ray starts behind the face, because a part in contact has no distance from it.
        start = pose.point((self._to_tip * along, across, -_DEEP))
        hit = self._scene.ray(start, pose.direction((0.0, 0.0, 1.0)), 2.0 * _DEEP, ignore=self._blind)
        return hit is not None

    def _place(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The centre of a cell across and along the pad, from the pad's centre; the tip is at positive values."""
        row, column = cell
        return (column - 0.5 - CELLS / 2) * self.side, (CELLS / 2 - row + 0.5) * self.side
