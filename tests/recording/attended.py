"""A cell with a thread that makes requests as fast as it can, and a replay of that run from its recording."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drycell import Body, Box, Cell, Conveyor, Result, delay, m, mm, s, wait
from drycell.kernel import Pace, wait_any
from drycell.recording import Recording

LIMIT = 60.0
"""Seconds after which a test that hangs is given up; nothing waits for them to pass."""


@dataclass(frozen=True)
class Plan:
    """How a run is attended. How many requests the thread makes depends on the machine."""

    seed: int
    factor: float | None
    attended: bool
    stopped: bool
    most: int
    until: float | None

    @classmethod
    def of(cls, seed: int, most: int) -> "Plan":
        """Free-running and paced, attended or not; every third run is stopped by hand."""
        made = Random(f"plan {seed}")
        stopped = seed % 3 == 0
        attended = made.random() < 0.5
        factor = None if seed % 2 else made.choice([1.0, 5.0, 20.0])
        # A run that is neither stopped nor can deadlock ends by itself.
        until = None if stopped and attended else 0.3 if factor == 1.0 else 2.0
        return cls(seed, factor, attended, stopped, most, until)


def build(seed: int, tempo: Callable[[], object]) -> Cell:
    """Six programs that react, race and wait at time zero, one of them with a belt and a part on it."""
    cell = Cell("attended", seed=seed)
    kernel, shape = cell.kernel, Random(seed)
    cell.add("table", Body(Box(2 * m, 1 * m, 100 * mm)))
    belt = cell.add("belt", Conveyor(length=1.5 * m, width=200 * mm, speed=100 * mm / s, on="table"))
    cell.add("part", Body(Box(40 * mm, 40 * mm, 40 * mm), on="belt", part=True))
    start, count, level = cell.signal("start", False), cell.signal("count", 0), cell.signal("level", 0.0)
    word, echo, race = cell.signal("word", ""), cell.signal("echo", 0), cell.signal("race", "")
    turns, patient = shape.randint(20, 2000), shape.random() < 0.5

    def reacts() -> None:
        for _ in range(turns):
            wait(count.changes(), timeout=None if patient else 0.07)
            echo.set(echo.value + 1)

    def waits_at_zero() -> None:
        for _ in range(turns):
            wait(start.changes() | echo.changes(), timeout=None if patient else 0.03)
            delay(0)
            race.set("zero")
            delay(0)

    def races() -> None:
        while True:
            wait(echo.changes())
            race.set("one")
            delay(kernel.random("one").uniform(0.0, 0.002))

    def races_too() -> None:
        for _ in range(turns):
            wait(echo.changes(), timeout=0.04)
            race.set("two")

    def watches() -> None:
        for _ in range(turns):
            found = wait_any(level > 0.5, word.changes(), timeout=0.1 if not patient else None)
            kernel.journal.write("watched", "watches", found=found, level=level.value)
            delay(0.001)

    def drives() -> None:
        while True:
            wait(start.rises())
            belt.stop() if belt.running else belt.start()
            start.set(False)

    for program in (reacts, waits_at_zero, races_too, watches):
        cell.program(program)
    for program in (races, drives):
        cell.program(program, daemon=True)
    kernel.every(5_003, tempo, owner="tempo", writes=())
    return cell


def ask(cell: Cell, made: Random) -> None:
    """One request of many kinds."""
    match made.randrange(12):
        case 0 | 1:
            cell.post({"start": made.random() < 0.7}, who="plc")
        case 2 | 3 | 4:
            cell.post({"count": made.randrange(100)}, who="plc")
        case 5 | 6:
            cell.post({"level": made.random(), "word": made.choice("abcä")}, who="panel")
        case 7:
            cell.post({"count": made.randrange(3), "start": True, "level": made.randrange(2)})
        case 8:
            cell.request("force", {"signal": "word", "value": made.choice("xyz")}, who="studio")
        case 9:
            cell.request("release", {"signal": made.choice(["word", "level"])}, who="studio")
        case 10:
            fields = {"lasting": made.choice([0.01, 0.2])}
            cell.request("fault", {"signal": "start", "kind": "stuck_on", "fields": fields}, who="studio")
        case _:
            cell.kernel.post(lambda: None, "a picture")


def live(plan: Plan, record: Path) -> Result:
    """A run that a thread attends."""
    over, going = threading.Event(), threading.Event()

    def tempo() -> None:
        going.set()
        time.sleep(0.0003)  # lets the other thread run; the cell is not affected

    cell = build(plan.seed, tempo)
    made = Random(f"requests {plan.seed}")
    if made.random() < 0.5:
        cell.request_before("force", {"signal": "count", "value": 7}, who="studio")
        cell.request_before("release", {"signal": "count"}, who="studio")

    def attend() -> None:
        going.wait(LIMIT)
        for _ in range(plan.most):
            if over.is_set():
                return
            ask(cell, made)
            if made.random() < 0.02:
                over.wait(0.001)
        if plan.stopped:
            cell.kernel.stop("by hand")

    thread = threading.Thread(target=attend)
    thread.start()
    pace = Pace(plan.factor, attended=plan.attended)
    try:
        with _quick_switches():
            return cell.run(plan.until, pace=pace, record=record)
    finally:
        over.set()
        going.set()
        thread.join(LIMIT)


def replay(plan: Plan, recorded: Path, again: Path) -> Result:
    """Repeat the run from its recording, without threads or pacing."""
    cell = build(plan.seed, lambda: None)
    with Recording.open(recorded) as recording:
        cell.play(recording.inputs)
    return cell.run(plan.until, record=again)


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Threads take turns more often than usual: more interleavings."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
