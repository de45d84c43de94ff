"""Sharing: what programs do that a search by footprints cannot see, as far as their code tells.

A program that changes a variable of the function around it, or of its module, may be talking to another one; a
program that reads ``kernel.now`` goes by the clock. (``now()`` and ``cell.time`` are seen without looking at code.)
"""

import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drycell.cell import Cell


def shared_variables(cell: "Cell") -> list[str]:
    """A note for each program that changes a variable others can read."""
    notes = []
    for name, program in cell.programs.items():
        changed = sorted({variable for code in _codes(program.function) for variable in _changed(code)})
        if changed:
            which = ", ".join(f"'{variable}'" for variable in changed)
            notes.append(f"program '{name}' changes the variable {which}, unseen by the search: use a signal")
    return notes


def goes_by_the_clock(cell: "Cell") -> bool:
    """Whether the code of a program reads the kernel's own time, which leaves no footprint."""
    return any(
        instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and instruction.argval == "now"
        for program in cell.programs.values()
        for code in _codes(program.function)
        for instruction in dis.get_instructions(code)
    )


def _codes(function: Callable[..., object]) -> Iterator[CodeType]:
    waiting = [code] if isinstance(code := getattr(function, "__code__", None), CodeType) else []
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(each for each in code.co_consts if isinstance(each, CodeType))


def _changed(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        outer = instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars
        if outer or instruction.opname == "STORE_GLOBAL":
            yield instruction.argval
