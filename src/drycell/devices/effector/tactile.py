"""A tactile pad on a finger, commanded by messages: 6 × 6 cells, which of them are touched, and how hard."""

import math
from typing import Final

from drycell.devices.effector.jaw import Jaw
from drycell.devices.effector.station import Station, Values
from drycell.kernel import Kernel
from drycell.messages import PAD
from drycell.messages.disturbance import CALM, Disturbance
from drycell.messages.mailboxes import Envelope
from drycell.spatial import Pose
from drycell.units import mm
from drycell.world import Body, Scene

CELLS: Final = 6
SIZE: Final = 18 * mm
"""The side of the pad."""
_DEEP: Final = 0.2 * mm  # how near a surface has to be to touch a cell


class Pad(Station):
    """A square pad about the tool centre point of one finger. The force of the jaw is spread over what is touched.

    Row 1 is at the finger's tip; columns go across it. A part that is held above or below the pad touches no cell.
    """

    def __init__(
        self,
        kernel: Kernel,
        scene: Scene,
        name: str,
        jaw: Jaw,
        *,
        finger: int = 1,
        size: float = SIZE,
        shift: float = 0.0,
        disturbance: Disturbance = CALM,
    ) -> None:
        # Its z axis looks at the other finger, its x axis goes to the finger's tip.
        turn = Pose.turn_y(-math.pi / 2 if finger == 1 else math.pi / 2)
        place = Pose(0.0, jaw.tcp.y, jaw.tcp.z + shift) @ turn
        body = scene.world.add(Body(name), jaw.fingers[finger - 1], place)
        super().__init__(kernel, name, PAD, body, disturbance=disturbance)
        self.jaw, self.finger, self.size, self.shift = jaw, finger, size, shift
        self.mount: Body = body
        self._scene = scene
        self._to_tip = 1.0 if finger == 1 else -1.0
        self._blind = frozenset((jaw.palm, *jaw.fingers, body))

    @property
    def side(self) -> float:
        """The side of a cell."""
        return self.size / CELLS

    def on_status(self, envelope: Envelope, values: Values) -> dict[str, float]:
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

    def on_row(self, envelope: Envelope, values: Values) -> dict[str, float]:
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
