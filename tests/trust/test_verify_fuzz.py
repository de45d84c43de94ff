"""Verdicts against an explicit-state search that is written here and shares nothing with drycell.

A random system has two or three programs, each a list of operations, some in endless loops, some daemons. The search
here knows all states that the system can reach, and so which programs can get stuck: they wait without a timeout, and
do not continue in any state that can follow.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from drycell import Cell, delay, wait
from drycell.kernel import RandomWalkChooser, Signal
from drycell.verify import Verdict, verify

SIGNALS = 3
Op = tuple[str, int]
"""lock, unlock, set, reset, await, poll (lock if free, then unlock after a second) or rest; and the signal."""


@dataclass(frozen=True)
class Plan:
    """A program: operations, those from ``loop`` on without end (None: once), and whether it is a daemon."""

    ops: tuple[Op, ...]
    loop: int | None
    daemon: bool


System = tuple[Plan, ...]
KINDS = ("lock", "lock", "unlock", "unlock", "set", "reset", "await", "await", "poll", "rest", "rest")


def random_system(source: random.Random) -> System:
    plans = []
    for number in range(source.choice((2, 2, 3))):
        ops = tuple((source.choice(KINDS), source.randrange(SIGNALS)) for _ in range(source.randint(1, 4)))
        loop = source.choice((None, 0, source.randrange(len(ops))))
        if loop is not None:
            ops = (*ops, ("rest", 0))  # a loop takes time
        plans.append(Plan(ops, loop, daemon=number > 0 and source.random() < 0.3))
    return tuple(plans)


# -- the possible outcomes, by an independent search

State = tuple[tuple[bool, ...], tuple[tuple[int, int, int], ...]]
"""The signals, and for each program: its operation (-1: ended), the phase of it, and the seconds until it is due (0:
now, -1: it waits)."""


def wanted(plan: Plan, place: int) -> tuple[int, bool] | None:
    """The signal and the value that a program at an operation waits for."""
    if place < 0:
        return None
    verb, signal = plan.ops[place]
    return {"lock": (signal, False), "await": (signal, True)}.get(verb)


def following(plan: Plan, place: int) -> int:
    if place + 1 < len(plan.ops):
        return place + 1
    return -1 if plan.loop is None else plan.loop


def step(system: System, state: State, who: int) -> State:
    """Let a program that is due go on until it waits or lets time pass."""
    signals, programs = list(state[0]), list(state[1])
    plan = system[who]
    place, phase, _ = programs[who]
    due = 0
    while place >= 0:
        verb, signal = plan.ops[place]
        if phase == 0 and (want := wanted(plan, place)) is not None and signals[want[0]] != want[1]:
            due = -1
            break
        # Its condition held when it was woken, even if that has changed again since.
        value = {"lock": True, "unlock": False, "set": True, "reset": False}.get(verb)
        if verb == "poll":
            if phase == 0 and not signals[signal]:
                value, phase, due = True, 1, 1
            elif phase == 1:
                value, phase = False, 0
        if verb == "rest":
            phase, due = 1 - phase, 1 - phase
        elif verb != "poll":
            phase = 0
        if value is not None and signals[signal] != value:
            signals[signal] = value
            for other, (where, _, left) in enumerate(programs):
                if other != who and left == -1 and wanted(system[other], where) == (signal, value):
                    programs[other] = (where, 1, 0)
        if due:
            break
        if phase == 0:
            place = following(plan, place)
    programs[who] = (place, phase, due)
    return tuple(signals), tuple(programs)


def ended(system: System, state: State) -> bool:
    return all(plan.daemon or where < 0 for plan, (where, _, _) in zip(system, state[1], strict=True))


def nexts(system: System, state: State) -> Iterator[State]:
    """All states that can be next. The run is over when all programs but daemons have ended."""
    if ended(system, state):
        return
    due = [who for who, (place, _, left) in enumerate(state[1]) if place >= 0 and left == 0]
    if due:
        for who in due:
            yield step(system, state, who)
        return
    later = [left for place, _, left in state[1] if place >= 0 and left > 0]
    if later:
        soonest = min(later)
        yield state[0], tuple((place, phase, left - soonest if left > 0 else left) for place, phase, left in state[1])


def reachable(system: System, most: int) -> dict[State, list[State]] | None:
    first: State = (False,) * SIGNALS, tuple((0, 0, 0) for _ in system)
    graph: dict[State, list[State]] = {}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        if state not in graph:
            graph[state] = list(nexts(system, state))
            waiting.extend(graph[state])
            if len(graph) > most:
                return None
    return graph


def can_get_stuck(system: System, most: int = 4000) -> frozenset[int] | None:
    """The programs, except daemons, that can get stuck; None: too many states."""
    graph = reachable(system, most)
    if graph is None:
        return None
    before: dict[State, list[State]] = {}
    for state, after in graph.items():
        for each in after:
            before.setdefault(each, []).append(state)
    found = set()
    for who, plan in enumerate(system):
        if plan.daemon:
            continue
        free = [state for state in graph if state[1][who][2] != -1]
        seen = set(free)
        while free:
            for state in before.get(free.pop(), ()):
                if state not in seen:
                    seen.add(state)
                    free.append(state)
        if len(seen) < len(graph):
            found.add(who)
    return frozenset(found)


# -- the same system in drycell


def build_of(system: System):
    def build(cell: Cell) -> None:
        signals = [cell.signal(f"s{number}", False) for number in range(SIGNALS)]
        for number, plan in enumerate(system):
            cell.program(source_of(plan, signals), name=f"p{number}", daemon=plan.daemon)

    return build


TEXTS = {
    "lock": ("wait(~s{0})", "s{0}.set(True)"),
    "unlock": ("s{0}.set(False)",),
    "set": ("s{0}.set(True)",),
    "reset": ("s{0}.set(False)",),
    "await": ("wait(s{0})",),
    "poll": ("if not s{0}:", "    s{0}.set(True)", "    delay(1)", "    s{0}.set(False)"),
    "rest": ("delay(1)",),
}
_made = 0


def source_of(plan: Plan, signals: list[Signal[bool]]):
    """Write the program as Python, as a person would."""
    import linecache

    global _made
    _made += 1
    loop = len(plan.ops) if plan.loop is None else plan.loop
    body = [line.format(signal) for verb, signal in plan.ops[:loop] for line in TEXTS[verb]]
    cycle = [line.format(signal) for verb, signal in plan.ops[loop:] for line in TEXTS[verb]]
    if cycle:
        body += ["while True:", *(f"    {line}" for line in cycle)]
    text = "\n".join(["def program():", *(f"    {line}" for line in body), ""])
    file = f"/random/program{_made}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"wait": wait, "delay": delay, **{f"s{number}": each for number, each in enumerate(signals)}}
    exec(compile(text, file, "exec"), names)
    return names["program"]


def judged(system: System, **options: object) -> Verdict:
    until = 12.0 if any(plan.loop is not None for plan in system) else None
    return verify(build_of(system), until=until, ignore=["order", "lost signal", "livelock"], seconds=60, **options)


def compared(source: random.Random) -> tuple[System, Verdict, frozenset[int]]:
    """Draw a system of which everything is known, and let drycell judge it."""
    while True:
        system = random_system(source)
        stuck = can_get_stuck(system)
        if stuck is None:
            continue
        verdict = judged(system, budget=400)
        if verdict.faults or verdict.exhausted:
            return system, verdict, stuck


def compare(seed: str, count: int) -> dict[str, int]:
    source = random.Random(seed)
    figures = {"systems": 0, "stuck": 0, "in part": 0, "missed": 0, "false": 0}
    for _ in range(count):
        system, verdict, stuck = compared(source)
        figures["systems"] += 1
        figures["stuck"] += bool(stuck)
        figures["in part"] += bool(stuck) and len(stuck) < sum(not plan.daemon for plan in system)
        if bool(verdict.faults) != bool(stuck):
            figures["missed" if stuck else "false"] += 1
            print("MISSED" if stuck else "FALSE", system, stuck, verdict)
    return figures


def test_verdicts_agree_with_an_explicit_search() -> None:
    figures = compare("sample", 40)
    assert (figures["missed"], figures["false"]) == (0, 0)
    assert figures["stuck"] > 10


def random_runs(system: System, count: int, seed: int) -> int:
    """The number of random runs that end with a program stuck."""
    found = 0
    for number in range(count):
        cell = Cell("random", chooser=RandomWalkChooser(seed + number))
        build_of(system)(cell)
        found += bool(cell.run(12).stuck)
    return found


def clean_ones(seed: str, count: int) -> Iterator[System]:
    source = random.Random(seed)
    while count:
        system, verdict, _ = compared(source)
        if verdict.clean:
            count -= 1
            yield system


def test_random_runs_find_nothing_in_what_was_judged_clean() -> None:
    assert sum(random_runs(system, 20, 0) for system in clean_ones("clean sample", 5)) == 0


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(4))
def test_a_thousand_verdicts_agree_with_an_explicit_search(batch: int) -> None:
    figures = compare(f"soak {batch}", 300)
    print(figures)
    assert (figures["missed"], figures["false"]) == (0, 0)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(4))
def test_a_thousand_random_runs_find_nothing_in_200_clean_verdicts(batch: int) -> None:
    found = sum(random_runs(system, 1000, 1000 * batch) for system in clean_ones(f"clean {batch}", 50))
    print(f"50 clean verdicts, 50,000 random runs: {found} with a program stuck")
    assert found == 0
