"""Outputs of devices: signals that the device itself sets, and nobody else."""

from drycell.base import KernelError
from drycell.kernel.kernel import Kernel
from drycell.kernel.reserved import Reserved
from drycell.kernel.signal import V


class Output(Reserved[V]):
    """A signal that tells what a device does."""

    __slots__ = ("owner",)

    def __init__(
        self, kernel: Kernel, owner: str, name: str, initial: V, *, unit: str = "", quiet: bool = False
    ) -> None:
        if name in kernel.signals:
            raise KernelError(f"there is a signal '{name}' already", hint=f"give {owner} or the signal another name")
        super().__init__(kernel, name, initial, unit=unit, quiet=quiet)
        self.owner = owner
        kernel.signals[name] = self

    @property
    def meaning(self) -> str:
        """What it tells, for the refusal."""
        return f"what {self.owner!r} does, which sets it itself"

    @property
    def instead(self) -> str:
        """What can be set in its place, for the refusal."""
        inputs = [
            name
            for name, each in self.kernel.signals.items()
            if name.startswith(f"{self.owner}.") and not isinstance(each, Reserved)
        ]
        return f"what can be set there: {', '.join(inputs)}; " if inputs else ""
