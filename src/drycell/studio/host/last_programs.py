"""What the programs of a run did last: their lines, calls and variables, kept when the run ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drycell.kernel import Kernel
from drycell.studio.api.debugging import CallPlace, ProgramCalls
from drycell.studio.api.transport import ProcessStatus


@dataclass(frozen=True)
class LastPrograms:
    """The state of each program at the end of a run, and the calls and variables of those that had not ended."""

    processes: tuple[ProcessStatus, ...]
    calls: Mapping[str, Sequence[ProgramCalls]]

    @classmethod
    def of(cls, kernel: Kernel, processes: Sequence[ProcessStatus]) -> "LastPrograms":
        """Keep what the programs are doing now."""
        calls: dict[str, list[ProgramCalls]] = {}
        for process in kernel.processes.living():
            found = process.calls()
            stack = tuple(CallPlace(each.name, each.file, each.line) for each in found)
            calls[process.name] = [ProgramCalls(stack, tuple(each.look())) for each in found]
        return cls(tuple(processes), calls)

    def variables(self, process: str, level: int) -> ProgramCalls:
        """The call stack of a program, and the variables of one of its calls."""
        calls = self.calls.get(process, ())
        return calls[min(level, len(calls) - 1)] if calls else ProgramCalls()
