"""A supervisor: a net that runs along with a cell, a look ahead of it, and lets nothing happen that ends in a deadlock.

The idea is Yeung and Moore's: a copy of the net that controls the cell is played ahead of it, and what it runs into is
kept off the cell (seed 001, section 7.4).
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic

from drycell.errors import UnknownName
from drycell.kernel import Condition, Kernel, in_program, wait
from drycell.kernel.condition import Level
from drycell.verify.nets.errors import NetError
from drycell.verify.nets.game import F, Game, M
from drycell.verify.nets.lookahead import HORIZON, Lookahead

if TYPE_CHECKING:
    from drycell.cell import Cell


class Supervisor(Generic[M, F]):
    """Keeps a net's marking up with what happens, and says which events may happen next.

    Events are named as the net's firings are: ``left takes nest``, or ``take(who=left, what=nest)`` where the net is
    coloured; or by the label of a transition. With a cell, programs ask before they take something:
    ``supervisor.request("left takes nest")`` waits until the net allows it and no deadlock lies behind it.
    """

    def __init__(
        self,
        net: Game[M, F],
        cell: "Cell | None" = None,
        *,
        name: str = "supervisor",
        goal: Callable[[M], bool] | None = None,
        uncontrollable: Iterable[str] = (),
        horizon: int = HORIZON,
    ) -> None:
        self.net, self.name = net, name
        self.marking: M = net.initial
        self.refused: dict[str, int] = {}
        """How often each event had to wait because of what lay behind it."""
        self._ahead = Lookahead(net, goal=goal, uncontrollable=uncontrollable, horizon=horizon)
        self._kernel: Kernel | None = None if cell is None else cell.kernel
        self._count = None if self._kernel is None else self._kernel.signal(f"{name}.firings", 0, quiet=True)

    def enabled(self, event: str) -> bool:
        """Whether the net, as it stands, can do it at all."""
        self._note_read()
        return bool(self._moves(event))

    def allows(self, event: str) -> bool:
        """Whether it can be done now, and a deadlock can still be kept off afterwards."""
        self._note_read()
        return self._safe_move(event) is not None

    def happens(self, event: str) -> None:
        """Takes note of an event, allowed or not; one that the net cannot do is an error."""
        self._fire(self._safe_move(event) or self._first(event), event)

    def allowing(self, event: str) -> Condition:
        """The condition that an event is allowed, for ``wait`` and ``wait_any``."""
        if self._count is None:
            raise NetError("a supervisor without a cell cannot be waited for", hint="Supervisor(net, cell)")
        return Level(self._count, f"{self.name} allows {event}", lambda: self._safe_move(event) is not None)

    def request(self, event: str, timeout: float | None = None) -> bool:
        """Waits in a program until an event is allowed, and notes that it happens; False when the time is out first."""
        if not in_program():
            raise NetError(f"'{event}' can only be requested in a running program", hint="ask allows(event) instead")
        self._known(event)
        held = self.allowing(event)
        if not held.holds() and self.enabled(event):
            self.refused[event] = self.refused.get(event, 0) + 1
            if self._kernel is not None:
                self._kernel.journal.write("refuses", self.name, event=event)
        if not wait(held, timeout):
            return False
        self.happens(event)
        return True

    # ---------------------------------------------------------------- inside

    def _moves(self, event: str) -> list[F]:
        return [move for move in self.net.enabled(self.marking) if event in (self.net.event(move), str(move))]

    def _safe_move(self, event: str) -> F | None:
        safe = (move for move in self._moves(event) if self._ahead.safe(self.net.fire(self.marking, move)))
        return next(safe, None)

    def _first(self, event: str) -> F:
        self._known(event)
        moves = self._moves(event)
        if not moves:
            raise NetError(
                f"'{event}' happened, which net '{self.net.name}' does not allow with {self.net.told(self.marking)}",
                hint=f"it allows {', '.join(map(str, self.net.enabled(self.marking))) or 'nothing: it is a deadlock'}",
            )
        return moves[0]

    def _note_read(self) -> None:
        """A search of event orders must learn that what follows hangs on what has happened so far."""
        if self._kernel is not None and self._count is not None:
            self._kernel.note_read(self._count.name)

    def _known(self, event: str) -> None:
        labels = {it.label for it in self.net.transitions.values() if it.label}
        if event.partition("(")[0] not in self.net.transitions and event not in labels:
            raise UnknownName("event of the net", event, {*self.net.transitions, *labels})

    def _fire(self, move: F, event: str) -> None:
        self.marking = self.net.fire(self.marking, move)
        if self._count is not None and self._kernel is not None:
            self._kernel.journal.write("fires", self.name, event=event)
            self._count.set(self._count.value + 1)
