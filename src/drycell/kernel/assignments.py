"""What the code of the programs may still assign: attributes of objects, and the contents of lists and dictionaries.

An attribute that no code assigns keeps its value, so ``self.zone`` is certainly the signal that it is now. The analysis
looks at the compiled code of all functions that the programs can reach. It does not know which object an assignment
concerns: ``machine.zone = …`` anywhere makes every attribute ``zone`` uncertain.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType
from typing import Final, NamedTuple

_SETUP: Final = frozenset({"__init__", "__post_init__"})
"""Methods that assign attributes of an object which nobody has seen yet."""
_CHANGES: Final = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove", "clear", "sort",
    "reverse", "rotate", "setdefault", "update", "add", "discard", "shuffle", "heappush", "heappop", "heapify",
    "__setitem__", "__delitem__", "__setattr__", "__dict__", "setattr", "delattr", "vars", "setitem", "delitem",
})  # fmt: skip
"""Names of what changes the contents of a container, or attributes by a computed name."""


class Assignments(NamedTuple):
    """What some code assigns."""

    attributes: frozenset[str] = frozenset()
    """The names of attributes that it assigns, except those of objects that it creates."""
    contents: bool = False
    """Whether it may change the contents of a container, or attributes by a computed name."""

    def join(self, others: Iterable[Assignments]) -> Assignments:
        """Return what this code or other code assigns."""
        every = [self, *others]
        return Assignments(
            frozenset().union(*(each.attributes for each in every)), any(each.contents for each in every)
        )


@lru_cache(maxsize=1024)
def assignments(code: CodeType) -> Assignments:
    """Return what a function assigns, with the functions in it.

    >>> def raises(lift):
    ...     lift.height = 2
    >>> assignments(raises.__code__)
    Assignments(attributes=frozenset({'height'}), contents=False)
    """
    itself = code.co_varnames[0] if code.co_name in _SETUP and code.co_argcount else None
    attributes, contents, before = set(), False, None
    for each in dis.get_instructions(code):
        if each.opname in ("STORE_ATTR", "DELETE_ATTR"):
            own = before is not None and before.opname == "LOAD_FAST" and before.argval == itself
            if not own:
                attributes.add(each.argval)
        # An operator such as += may extend a list in place.
        in_place = each.opname == "BINARY_OP" and each.argrepr in ("+=", "*=", "|=") and not _of_number(before)
        contents = contents or in_place or each.opname in ("STORE_SUBSCR", "DELETE_SUBSCR")
        contents = contents or (each.opname.startswith("LOAD_") and each.argval in _CHANGES)
        before = each
    inner = (assignments(each) for each in code.co_consts if isinstance(each, CodeType))
    return Assignments(frozenset(attributes), contents).join(inner)


def _of_number(before: dis.Instruction | None) -> bool:
    """Return whether an instruction loads a number, so that it is not added to a list."""
    return before is not None and before.opname == "LOAD_CONST" and isinstance(before.argval, (int, float))
