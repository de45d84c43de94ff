"""A run of a program: what it prints, its heap, how deep it is, and the routines that come from outside."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, NoReturn

from drycell.kernel import current_process, in_program
from drycell.languages.pascal.fault import Trouble
from drycell.languages.pascal.runtime import Cell

DEEPEST: Final = 2000
"""Calls of routines that call themselves, inside each other."""
LARGEST_HEAP: Final = 1_000_000
_LONGEST_LINE: Final = 10_000

External = Callable[..., object]


class Run:
    """One start of a program. ``echo`` gets each line it prints; ``externals`` are its routines from outside."""

    def __init__(
        self, echo: Callable[[str], None], externals: Mapping[str, External], results: Mapping[str, object]
    ) -> None:
        self._echo = echo
        self._externals = externals
        self._results = results
        self._line = ""
        self._depth = 0
        self._heap = 0
        self._stream: Random | None = None

    def write(self, *pieces: str) -> None:
        """WRITE."""
        self._line += "".join(pieces)
        if len(self._line) > _LONGEST_LINE:
            self.writeln()

    def writeln(self, *pieces: str) -> None:
        """WRITELN: a line is complete."""
        line, self._line = self._line + "".join(pieces), ""
        if in_program():
            process = current_process()
            process.kernel.journal.write("prints", process.name, text=line)
        self._echo(line)

    def end(self) -> None:
        """Nothing more comes: what stands on the last line is printed, too."""
        if self._line:
            self.writeln()

    def read(self) -> NoReturn:
        """READ and READLN: nobody types anything at a cell."""
        raise Trouble("there is nothing to read from", "let the program get its values from inputs or constants")

    def new(self, value: object) -> Cell:
        """NEW."""
        self._heap += 1
        if self._heap > LARGEST_HEAP:
            raise Trouble(f"more than {LARGEST_HEAP} things made by NEW", "give back what is no longer used by DISPOSE")
        return Cell((value,))

    def dispose(self, pointer: Cell | None) -> None:
        """DISPOSE."""
        if not pointer:
            raise Trouble("this pointer is nil" if pointer is None else "this has been disposed of already")
        self._heap -= 1
        pointer.clear()

    def random(self, below: int | None = None) -> int | float:
        """RANDOM, from the stream that belongs to this program."""
        if self._stream is None:
            self._stream = current_process().kernel.random(current_process().name) if in_program() else Random(0)
        if below is None:
            return self._stream.random()
        if below < 1:
            raise Trouble(f"random({below}): there is no integer from 0 to below that")
        return self._stream.randrange(below)

    def enter(self, routine: str) -> None:
        """A routine that may call itself begins."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Trouble(f"{routine} is the {self._depth}th call inside each other, {DEEPEST} are the most")

    def leave(self) -> None:
        """It ends."""
        self._depth -= 1

    def external(self, name: str) -> External:
        """A routine from outside by its name; one that nobody has given does nothing, and the journal says so."""
        found = self._externals.get(name)
        return found if found is not None else self._stub(name)

    def _stub(self, name: str) -> External:
        told = False

        def stub(*arguments: object) -> object:
            nonlocal told
            if not told and in_program():
                told = True
                process = current_process()
                process.kernel.journal.write("stub", process.name, routine=name, line=process.where().line)
            return self._results.get(name)

        return stub
