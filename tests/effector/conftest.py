"""A bench: an end effector over a table, loose blocks, and a planner's desk."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from drycell.base import Pose, mm
from drycell.cell import Cell
from drycell.effector import Effector
from drycell.effector.messages import VOCABULARY, MailboxClient, Message, Refusal
from drycell.geometry import Box
from drycell.kernel import JournalLine, Outcome
from drycell.world import LiveBody


@dataclass
class Bench:
    """The gripper hangs over a table whose top is at z = 0, its tool centre point 25 mm above it, its jaws along x.

    They open from 0 to 65 mm, at 100 mm/s and 1 m/s² at most; gains are 400 1/s² and 40 1/s unless said otherwise. With
    them it is critically damped with p = 20 1/s, the speed is at its limit while the error is above 10 mm, and the
    acceleration while the speed is off by more than 25 mm/s.
    """

    given: dict[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self.cell = Cell("bench", seed=self.seed)
        self.kernel, self.world = self.cell.kernel, self.cell.world
        self.table = self.world.add(LiveBody("table", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, -0.05))
        self.stand = self.world.add(LiveBody("stand"), None, Pose(0, 0, 125 * mm) @ Pose.turn_x(3.141592653589793))
        self.effector = self.cell.add("gripper", Effector(parent="stand", **self.given))
        self.desk: MailboxClient = self.effector.pair.client()
        self.answers: list[tuple[float, Message | Refusal]] = []

    def part(
        self, width: float, x: float = 0.0, y: float = 0.0, height: float = 60 * mm, name: str = "block"
    ) -> LiveBody:
        """A loose block on the table, so wide along the jaws."""
        body = LiveBody(name, Box(width, 10 * mm, height), part=True)
        self.world.add(body, self.table, Pose())
        self.world.place(body, Pose(x, y, height / 2))
        self.world.attach(body, self.table)
        return body

    def send(self, letters: str, sequence: int | None = None, **reals: float) -> None:
        """Sends a command to the gripper."""
        entry = VOCABULARY.device("gripper").command(letters)
        self.desk.send(Message("P", "G", letters, entry.pack(**reals), sequence))

    def move(self, kind: str = "position", sequence: int | None = None, **reals: float) -> None:
        """Sends a move."""
        number = VOCABULARY.device("gripper").command("MOV").real("kind").number(kind)
        self.send("MOV", sequence, kind=number, **reals)

    def receive(self, timeout: float | None = None) -> dict[str, float] | None:
        """The reals of the next answer by name, and its letters as ``letters``; waits for it."""
        answer = self.desk.receive(timeout)
        if answer is None:
            return None
        self.answers.append((self.kernel.now / 1e6, answer))
        if isinstance(answer, Refusal):
            refused: dict[str, Any] = {"letters": answer.code.value, "what": answer.what}
            return {**refused, "sequence": answer.sequence}
        reals = VOCABULARY.entry(answer).unpack(answer)
        return {"letters": answer.command, "sequence": answer.sequence, **reals}  # type: ignore[dict-item]

    def initialise(self) -> None:
        """Initialises, and waits until that is done."""
        self.send("INI")
        assert self.receive()["letters"] == "DON"  # type: ignore[index]

    def run(self, *programs: Callable[[], object], until: int | None = None) -> Outcome:
        for program in programs:
            self.kernel.spawn(program)
        return self.kernel.run(until)

    def records(self, *kinds: str) -> list[JournalLine]:
        return [record for record in self.kernel.journal.records if record.kind in kinds]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture(scope="session")
def effector_bench() -> type[Bench]:
    return Bench
