"""Equal programs and seeds give equal journals: in a second run, with other hash seeds, grouped, and with a chooser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from drycell.kernel import (
    EventFlags,
    Journal,
    Kernel,
    Mailbox,
    Process,
    RandomWalkChooser,
    ReplayingChooser,
    Signal,
    choose,
    delay,
    interval,
    now,
    spawn,
    wait,
    wait_any,
)

Op = tuple[str, int]
VERBS = (
    "delay", "set", "toggle", "wait", "wait both", "wait any", "edge", "put", "get", "flag", "flags", "spawn", "cancel",
    "choose", "interval", "random", "timer", "read", "join",
)  # fmt: skip
operations = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 3)), max_size=8)
cells = st.tuples(
    st.lists(operations, min_size=1, max_size=4),
    st.lists(st.sampled_from([1000, 1500, 2000, 500_000]), max_size=4),
    st.integers(0, 5),
)


class Cell:
    """Random programs over every primitive of the kernel."""

    def __init__(self, kernel: Kernel, programs: list[list[Op]], tickers: list[int]) -> None:
        self.kernel = kernel
        self.signals: list[Signal[bool]] = [kernel.signal(f"s{n}", False) for n in range(4)]
        self.box: Mailbox[int] = Mailbox(kernel, "box", capacity=2)
        self.flags = EventFlags(kernel, "flags")
        self.processes: list[Process] = []
        for number, period in enumerate(tickers):
            signal = self.signals[number % 4]
            kernel.every(period, lambda s=signal: s.set(kernel.now % 7 > 3), phase=300 * number, owner=f"eye{number}")
        for number, ops in enumerate(programs):
            self.processes.append(kernel.spawn(self.program, ops, name=f"p{number}", priority=number % 2))

    def program(self, ops: list[Op]) -> None:
        for verb, number in ops:
            self.kernel.journal.write("does", "program", verb=verb, now_s=now(), got=str(self.do(verb, number)))

    def do(self, verb: str, n: int) -> object:
        kernel, signal, other = self.kernel, self.signals[n], self.signals[(n + 1) % 4]
        match verb:
            case "delay":
                return delay(n * 0.0005)
            case "set":
                return signal.set(True)
            case "toggle":
                return signal.set(not signal.value)
            case "read":
                return signal.value
            case "wait":
                return wait(signal, timeout=0.003)
            case "wait both":
                return wait(signal & ~other, timeout=0.002)
            case "wait any":
                return wait_any(signal, other.is_off, timeout=0.001)
            case "edge":
                return wait(signal.rises() | other.falls(), timeout=0.004)
            case "put":
                return self.box.offer(n)
            case "get":
                return self.box.get(timeout=0.001)
            case "flag":
                return self.flags.set(1 << n)
            case "flags":
                return self.flags.wait(0b11 << n, all_of=bool(n % 2), clear=True, timeout=0.002)
            case "spawn":
                self.processes.append(spawn(self.program, [("delay", n), ("set", n)], name="child"))
                return None
            case "cancel":
                return self.processes[n % len(self.processes)].cancel()
            case "join":
                return wait(self.processes[n % len(self.processes)], timeout=0.002)
            case "choose":
                return choose(f"c{n}", "abc")
            case "interval":
                return delay(interval(f"i{n}", 0, 0.002))
            case "random":
                return kernel.random(f"r{n}").randrange(1000)
            case _:
                return kernel.at(kernel.now + 500 * n, lambda: signal.set(not signal.value), owner=f"t{n}").owner


def run(
    cell: tuple[list[list[Op]], list[int], int],
    chooser: RandomWalkChooser | ReplayingChooser | None = None,
    journal: Journal | None = None,
) -> Kernel:
    programs, tickers, seed = cell
    kernel = Kernel(seed=seed, chooser=chooser, journal=journal)
    Cell(kernel, programs, tickers)
    kernel.run(until=1_000_000)
    return kernel


@settings(deadline=None, max_examples=150)
@given(cells)
def test_two_runs_give_the_same_journal(cell: tuple[list[list[Op]], list[int], int]) -> None:
    assert run(cell).journal.json_lines() == run(cell).journal.json_lines()


@settings(deadline=None, max_examples=80)
@given(cells, st.integers(0, 3))
def test_a_run_is_a_function_of_its_choices(cell: tuple[list[list[Op]], list[int], int], seed: int) -> None:
    walk = RandomWalkChooser(seed)
    kernel = run(cell, walk)
    assert run(cell, ReplayingChooser(walk.choices)).journal.json_lines() == kernel.journal.json_lines()


@settings(deadline=None, max_examples=80)
@given(cells)
def test_the_free_loop_and_the_loop_of_the_choosers_agree(cell: tuple[list[list[Op]], list[int], int]) -> None:
    programs, tickers, seed = cell
    plain = [[op for op in ops if op[0] not in ("choose", "interval")] for ops in programs]
    quiet = (plain, tickers, seed)
    assert run(quiet, ReplayingChooser()).journal.json_lines() == run(quiet).journal.json_lines()


@settings(deadline=None, max_examples=30)
@given(cells)
def test_a_sink_gets_the_same_lines(cell: tuple[list[list[Op]], list[int], int]) -> None:
    lines: list[str] = []
    run(cell, journal=Journal(sink=lambda record: lines.append(record.json() + "\n")))
    assert "".join(lines) == run(cell).journal.json_lines()


SCRIPT = """
import importlib.util, random, sys
spec = importlib.util.spec_from_file_location("cells", sys.argv[1])
cells = importlib.util.module_from_spec(spec)
sys.modules["cells"] = cells
spec.loader.exec_module(cells)
source = random.Random(11)
for _ in range(25):
    programs = [[(source.choice(cells.VERBS), source.randrange(4)) for _ in range(8)] for _ in range(4)]
    kernel = cells.run((programs, [1000, 1500, 2000], source.randrange(5)))
    print(kernel.journal.sha256(), len(kernel.journal.records))
"""


def test_hash_seeds_change_nothing() -> None:
    def output(hash_seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(Path(__file__))],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = output("0")
    assert len(first.splitlines()) == 25
    assert output("1") == first
    assert output("4242") == first


@pytest.mark.parametrize("seed", range(3))
def test_another_seed_gives_another_journal(seed: int) -> None:
    programs: list[list[Op]] = [[("random", 1), ("interval", 0), ("choose", 2)]]
    assert run((programs, [], seed)).journal.sha256() != run((programs, [], seed + 1)).journal.sha256()
