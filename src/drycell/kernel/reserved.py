"""Reserved signals: what a sensor sees or a device does, set by that alone."""

from drycell.base import KernelError
from drycell.kernel.signal import Signal, V
from drycell.kernel.strand import current_strand


class Reserved(Signal[V]):
    """A signal that its owner sets. Programs, controllers and rules of others may read it, but not set it.

    Faults act on it as on any signal, and whoever attends a run may force it from outside.
    """

    __slots__ = ()

    def tell(self, value: V, writer: str | None = None) -> None:
        """The owner sets it."""
        super().set(value, writer)

    def set(self, value: V, writer: str | None = None) -> None:
        """Refused where a program or the building of a cell does it; what comes from outside the run is let through."""
        # While a program's write is being answered by devices, its strand has no kernel.
        if writer is None and (hasattr(current_strand(), "kernel") or not self.kernel.running):
            raise self.refusal("a program" if self.kernel.running else "the build of a cell")
        super().set(value, writer)

    def refusal(self, who: str) -> KernelError:
        """The error about somebody who wants to set it."""
        return KernelError(
            f"{who} cannot set '{self.name}': it tells {self.meaning}",
            hint=f"{self.instead}to see what a wrong one does, put a fault on it: cell.fault({self.name!r}, 'stuck')",
        )

    @property
    def meaning(self) -> str:
        """What it tells, for the refusal."""
        return "what only its owner knows, which sets it itself"

    @property
    def instead(self) -> str:
        """What can be set in its place, for the refusal."""
        return ""
