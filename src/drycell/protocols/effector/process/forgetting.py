"""What keeps a device that runs for weeks from growing: it lets go of the past, which nobody can ask it about."""

from typing import TYPE_CHECKING, Final

from drycell.kernel import ticks

if TYPE_CHECKING:
    from drycell.cell import Cell

KEPT: Final = 60.0
"""Seconds of the past that are known: sensors look back by less."""
CHANGES: Final = 1000
"""Changes that each signal remembers at least."""


def forget_the_past(cell: "Cell") -> None:
    """Has a cell that is about to run know no more of its past than is asked for."""
    kernel = cell.kernel
    kernel.history_limit = CHANGES
    kernel.tape.keeps = False

    def forget() -> None:
        kernel.settle()  # whoever looks back does so before it is gone
        if cell.monitor is not None:
            cell.monitor.look_closely()
        cell.world.forget(kernel.now - ticks(KEPT))

    kernel.every(ticks(KEPT), forget, phase=ticks(KEPT), owner="forgetting", writes=())
