"""A tactile pad on a finger, commanded by messages: 6 × 6 cells, which of them are touched, and how hard."""

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
_DEEP: Final = 0.2 * mm  # how near a surface has to be to touch a cell


class Pad(MessageDevice, kind="pad", stage=Stage.WIRED, icon="fingerprint", example={"of": "gripper"}):
    """A square tactile pad about the tool centre point of one finger of an end effector, commanded by messages."""

    of: Annotated[str, Ref("effector")]
    """The end effector whose finger it is on."""
    finger: Literal[1, 2] = 1
    """Which finger it is on."""
    size: Size = 18 * mm
    """Length of its sides."""
    shift: Length = 0.0
    """Distance from the tool centre point towards the tip of the finger."""
    trouble: LinkTrouble = LinkTrouble()
    """How often messages and commands go wrong."""

    def problems(self) -> Iterable[Problem]:
        """Its finger carries it."""
        yield from self.unplaced("a pad is where its finger is", "leave it out; 'shift' moves the pad along the finger")

    def build(self, cell: Cell, name: str) -> "LivePad":
        """Puts it on the finger and sets up its mailboxes."""
        return LivePad(cell, name, self)


class LivePad(LiveMessageDevice[Pad]):
    """A tactile pad in a run. The force of the jaw is spread over what is touched.

    Row 1 is at the finger's tip; columns go across it. A part that is held above or below the pad touches no cell.
    """

    def __init__(self, cell: Cell, name: str, model: Pad) -> None:
        effector = cell[model.of]
        if not isinstance(effector, LiveEffector):
            raise WorldError(f"{model.of!r} is not an end effector and has no fingers for pad {name!r}")
        self.jaw = jaw = effector.jaw
        # Its z axis looks at the other finger, its x axis goes to the finger's tip.
        turn = Pose.turn_y(-math.pi / 2 if model.finger == 1 else math.pi / 2)
        place = Pose(0.0, jaw.tcp.y, jaw.tcp.z + model.shift) @ turn
        self.mount: LiveBody = cell.world.add(LiveBody(name), jaw.fingers[model.finger - 1], place)
        super().__init__(cell, name, model, PAD, self.mount, trouble=model.trouble)
        self._scene = cell.scene
        self._to_tip = 1.0 if model.finger == 1 else -1.0
        self._blind = frozenset((jaw.palm, *jaw.fingers, self.mount))

    @property
    def side(self) -> float:
        """The side of a cell."""
        return self.model.size / CELLS

    def on_status(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """What touches the pad now."""
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
        """The pressure on the cells of a row."""
        first = (int(values["row"]) - 1) * CELLS
        row = self.pressures()[first : first + CELLS]
        return {f"cell_{column}": pressure for column, pressure in enumerate(row, 1)}

    def pressures(self) -> list[float]:
        """The pressure on every cell, row by row from the tip."""
        touched = self.touched()
        pressure = self.jaw.force / (len(touched) * self.side**2) if touched and self.jaw.load else 0.0
        cells = range(1, CELLS + 1)
        return [pressure * ((row, column) in touched) for row in cells for column in cells]

    def touched(self) -> list[tuple[int, int]]:
        """The cells that something lies on, by row and column from 1."""
        every = [(row, column) for row in range(1, CELLS + 1) for column in range(1, CELLS + 1)]
        return [cell for cell in every if self._is_touched(cell)]

    def _is_touched(self, cell: tuple[int, int]) -> bool:
        across, along = self._place(cell)
        pose = self._scene.world.pose(self.mount, self.kernel.now)
        # From behind the face: a part that lies on it starts at no distance.
        start = pose.point((self._to_tip * along, across, -_DEEP))
        hit = self._scene.ray(start, pose.direction((0.0, 0.0, 1.0)), 2.0 * _DEEP, ignore=self._blind)
        return hit is not None

    def _place(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The middle of a cell across and along the pad, from its own middle; the tip is above."""
        row, column = cell
        return (column - 0.5 - CELLS / 2) * self.side, (CELLS / 2 - row + 0.5) * self.side
