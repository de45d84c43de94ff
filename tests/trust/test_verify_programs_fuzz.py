"""Verdicts on richer programs, against an explicit-state search that is written here and shares nothing with drycell.

The programs have branches, loops that end, edges, joined conditions, waits with timeouts, pulses, semaphores, zones
(in four ways to write them, including objects in a dictionary), polling, declared choices and intervals, and daemons.

All times are whole seconds. A value of an interval between two seconds leads to no other outcome: what it could come
before or after, it can also come before or after in a tie.
"""

import linecache
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from drycell import Cell, choose, delay, interval, wait, wait_any
from drycell.kernel import RandomWalkChooser
from drycell.verify import Verdict, verify

BOOLS = ("a", "b", "c")
NAMES = (*BOOLS, "n")
UNTIL = 12
"""The second up to which programs with loops run; the runs end half a second later, in no tie."""
Tree = tuple[Any, ...]
"""A statement or a condition: its kind, and its parts."""


@dataclass(frozen=True)
class Plan:
    """A program: statements, then others without end (None: none), and whether it is a daemon."""

    first: tuple[Tree, ...]
    cycle: tuple[Tree, ...] | None
    daemon: bool


System = tuple[Plan, ...]

# -- random programs

PLAIN = (
    "set", "set", "set", "set", "set", "free", "free", "pulse", "pulse", "wait", "wait", "wait", "wait", "timed",
    "timed", "delay", "delay", "delay", "lock", "lock", "poll", "retry", "take", "give", "give", "any",
)  # fmt: skip
NESTED = ("if", "choose", "try", "fail", "count", "for", "zone", "zone", "zone")


class Writer:
    """Draws random programs."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._numbers = 0

    def system(self) -> System:
        draw = self._random
        spans, cycles = draw.random() < 0.5, draw.random() < 0.6
        self._kinds = (*PLAIN, "span", "span") if spans else PLAIN
        plans = []
        for number in range(draw.choice((2, 2, 3))):
            first = self._block(draw.randint(0 if cycles else 1, 3), nested=True, within=False)
            cycle = None
            if cycles and draw.random() < 0.6:
                cycle = (*self._block(draw.randint(1, 3), nested=True, within=True), ("delay", 1))
            plans.append(Plan(first, cycle, daemon=number > 0 and draw.random() < 0.25))
        return tuple(plans)

    def _block(self, count: int, *, nested: bool, within: bool) -> tuple[Tree, ...]:
        return tuple(self._statement(nested=nested, within=within) for _ in range(count))

    def _body(self, leaves: float, *, within: bool) -> tuple[Tree, ...]:
        body = self._block(self._random.randint(1, 2), nested=False, within=within)
        return (*body, ("return",)) if self._random.random() < leaves else body

    def _statement(self, *, nested: bool, within: bool) -> Tree:
        draw = self._random
        kind = draw.choice((*self._kinds, *NESTED) if nested else self._kinds)
        signal = draw.choice(BOOLS)
        self._numbers += 1
        match kind:
            case "set":
                return "set", signal, draw.random() < 0.5
            case "free":
                return "set", signal, False
            case "wait":
                return "wait", self._condition(), None
            case "timed":
                return "wait", self._condition(), draw.randint(1, 3)
            case "any":
                return "any", self._condition(), self._condition()
            case "delay":
                return "delay", draw.randint(0, 2)
            case "span":
                low = draw.randint(0, 1)
                return "span", low, low + draw.randint(1, 2), self._numbers
            case "lock":
                return "lock", signal, draw.randrange(4)
            case "zone":
                return "zone", signal, draw.randrange(4), self._body(0, within=within)
            case "try":
                return "try", signal, self._body(0, within=within)
            case "poll":
                return "poll", signal, draw.random() < 0.5
            case "retry":
                return "retry", self._level()
            case "if":
                # A loop that a program leaves by a test of a signal polls as well; the search below does not know that.
                return "if", self._condition(edges=False), self._body(0 if within else 0.3, within=within)
            case "choose":
                return "choose", self._numbers, self._body(0.2, within=within)
            case "fail":
                return "fail", self._condition(), draw.randint(1, 3), self._body(0.3, within=within)
            case "count":
                return "count", draw.randint(1, 3), self._body(0.3, within=within)
            case "for":
                return "for", 2, self._body(0, within=within)
        return (kind, signal) if kind == "pulse" else (kind,)

    def _level(self) -> Tree:
        return self._random.choice(("on", "off")), self._random.choice(BOOLS)

    def _condition(self, *, edges: bool = True) -> Tree:
        draw = self._random
        kinds = ("on", "on", "on", "off", "off", "some", "&", "|")
        match draw.choice((*kinds, "rises", "falls", "changes", "edge &") if edges else kinds):
            case "some":
                return "some", "n"
            case "&" | "|" as kind:
                return kind, self._level(), self._level()
            case "edge &":
                return "&", ("rises", draw.choice(BOOLS)), self._level()
            case "changes":
                return "changes", draw.choice(NAMES)
            case kind:
                return kind, draw.choice(BOOLS)


# -- the programs as a person would write them

LIBRARY = """
def acquire(zone):
    while zone:
        wait(~zone)
    zone.set(True)

def release(zone):
    zone.set(False)

class Lock:
    def __init__(self, zone):
        self.zone = zone

    def acquire(self):
        while self.zone:
            wait(~self.zone)
        self.zone.set(True)

    def release(self):
        self.zone.set(False)

locks = {"a": Lock(a), "b": Lock(b), "c": Lock(c)}
"""
LOCKS = (
    ("while {0}:", "    wait(~{0})", "{0}.set(True)"),
    ("while {0}.value:", "    wait({0} == False)", "{0}.set(True)"),
    ("acquire({0})",),
    ('locks["{0}"].acquire()',),
)
UNLOCKS = ("{0}.set(False)", "{0}.set(False)", "release({0})", 'locks["{0}"].release()')


def awaited(tree: Tree) -> str:
    """Return a condition as an argument of ``wait``."""
    match tree:
        case "on", name:
            return name
        case "off", name:
            return f"~{name}"
        case "some", name:
            return f"({name} > 0)"
        case "&" | "|", one, other:
            return f"({awaited(one)} {tree[0]} {awaited(other)})"
    return f"{tree[1]}.{tree[0]}()"


def branch_test(tree: Tree) -> str:
    """Return a condition as a test of ``if``."""
    match tree:
        case "on", name:
            return name
        case "off", name:
            return f"not {name}"
        case "some", name:
            return f"{name} > 0"
    return f"({branch_test(tree[1])} {'and' if tree[0] == '&' else 'or'} {branch_test(tree[2])})"


def lines_of(block: Sequence[Tree]) -> Iterator[str]:
    for tree in block:
        match tree:
            case "set", name, value:
                yield f"{name}.set({value})"
            case "pulse", name:
                yield from (f"{name}.set(True)", f"{name}.set(False)")
            case "wait", condition, timeout:
                yield f"wait({awaited(condition)}, timeout={timeout})"
            case "any", one, other:
                yield f"wait_any({awaited(one)}, {awaited(other)})"
            case "delay", time:
                yield f"delay({time})"
            case "span", low, high, number:
                yield f"delay(interval('span {number}', {low}, {high}))"
            case "lock", name, way:
                yield from (line.format(name) for line in LOCKS[way])
            case "zone", name, way, body:
                yield from (line.format(name) for line in LOCKS[way])
                yield from lines_of(body)
                yield UNLOCKS[way].format(name)
            case "try", name, body:
                yield from (f"if not {name}:", f"    {name}.set(True)", *indented(body), f"    {name}.set(False)")
            case "poll", name, value:
                yield from (f"while {name if value else f'not {name}'}:", "    delay(1)")
            case "retry", condition:
                yield from (f"while not wait({awaited(condition)}, timeout=1):", "    pass")
            case ("take",):
                yield from ("wait(n > 0)", "n.set(n.value - 1)")
            case ("give",):
                yield "n.set(n.value + 1)"
            case "if", condition, body:
                yield from (f"if {branch_test(condition)}:", *indented(body))
            case "choose", number, body:
                yield from (f"if choose('choice {number}', [False, True]):", *indented(body))
            case "fail", condition, timeout, body:
                yield from (f"if not wait({awaited(condition)}, timeout={timeout}):", *indented(body))
            case "count", limit, body:
                yield from ("turns += 1", f"if turns == {limit}:", *indented(body))
            case "for", count, body:
                yield from (f"for _ in range({count}):", *indented(body))
            case _:
                yield "return"


def indented(block: Sequence[Tree]) -> Iterator[str]:
    return (f"    {line}" for line in lines_of(block))


def text_of(system: System) -> str:
    lines = LIBRARY.splitlines()
    for number, plan in enumerate(system):
        lines += [f"def p{number}():", "    turns = 0", *indented(plan.first)]
        if plan.cycle is not None:
            lines += ["    while True:", *(f"    {line}" for line in indented(plan.cycle))]
    return "\n".join(lines) + "\n"


_made = 0


def build_of(system: System) -> Callable[[Cell], None]:
    global _made
    _made += 1
    text, file = text_of(system), f"/random/programs{_made}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    code = compile(text, file, "exec")

    def build(cell: Cell) -> None:
        verbs = {each.__name__: each for each in (choose, delay, interval, wait, wait_any)}
        names: dict[str, Any] = {"__name__": "programs", **verbs, "n": cell.signal("n", 0)}
        names |= {name: cell.signal(name, False) for name in BOOLS}
        exec(code, names)
        for number, plan in enumerate(system):
            cell.program(names[f"p{number}"], name=f"p{number}", daemon=plan.daemon)

    return build


# -- what can happen, by a search of our own

Mark = tuple[int, int | None, int]
"""A program: its instruction (-1: ended), the seconds until it continues (None: it waits without a timeout), and its
variable ``turns``. A program that waits with a timeout has the seconds until then."""
State = tuple[tuple[int, ...], tuple[Mark, ...], frozenset[int]]
"""The signals, the programs, and which of them wait."""


class Code:
    """A program as a list of instructions: tuples that begin with a verb."""

    def __init__(self, plan: Plan) -> None:
        self.list: list[list[Any]] = []
        self.polls: dict[int, tuple[int, str]] = {}
        """The instructions that poll: the first one of the loop, and the signal."""
        self._add(plan.first)
        start = len(self.list)
        self._add(plan.cycle or ())
        self.list.append(["end"] if plan.cycle is None else ["go", start])

    def _add(self, block: Sequence[Tree]) -> None:
        code = self.list
        for tree in block:
            here = len(code)
            match tree:
                case "set", name, value:
                    code.append(["set", name, value])
                case "pulse", name:
                    code += [["set", name, True], ["set", name, False]]
                case "wait", condition, timeout:
                    code.append(["wait", (condition,), timeout, here + 1])
                case "any", one, other:
                    code.append(["wait", (one, other), None, 0])
                case "delay", time:
                    code.append(["delay", (time,)])
                case "span", low, high, _:
                    code.append(["delay", tuple(range(low, high + 1))])
                case "lock", name, _:
                    self._lock(name)
                case "zone", name, _, body:
                    self._lock(name)
                    self._add(body)
                    code.append(["set", name, False])
                case "try", name, body:
                    self._skip(["unless", ("off", name), None], (("set", name, True), *body, ("set", name, False)))
                case "poll", name, value:
                    code += [["unless", ("on" if value else "off", name), here + 3], ["delay", (1,)], ["go", here]]
                    self.polls |= dict.fromkeys(range(here, here + 3), (here, name))
                case "retry", condition:
                    code.append(["wait", (condition,), 1, here])
                    self.polls[here] = here, condition[1]
                case ("take",):
                    code += [["wait", (("some", "n"),), None, 0], ["add", -1]]
                case ("give",):
                    code.append(["add", 1])
                case "if", condition, body:
                    self._skip(["unless", condition, None], body)
                case "choose", _, body:
                    self._skip(["choose", None], body)
                case "fail", condition, timeout, body:
                    code.append(["wait", (condition,), timeout, here + 2])
                    self._skip(["go", None], body)
                case "count", limit, body:
                    code.append(["count"])
                    self._skip(["unless turns", limit, None], body)
                case "for", count, body:
                    for _ in range(count):
                        self._add(body)
                case _:
                    code.append(["end"])

    def _lock(self, name: str) -> None:
        here = len(self.list)
        self.list += [["unless", ("on", name), here + 3], ["wait", (("off", name),), None, 0], ["go", here]]
        self.list.append(["set", name, True])

    def _skip(self, jump: list[Any], body: Sequence[Tree]) -> None:
        self.list.append(jump)
        self._add(body)
        jump[-1] = len(self.list)


def holds(tree: Tree, signals: Sequence[int]) -> bool:
    """Whether a condition holds, without a change."""
    match tree:
        case "on", name:
            return bool(signals[NAMES.index(name)])
        case "off", name:
            return not signals[NAMES.index(name)]
        case "some", name:
            return signals[NAMES.index(name)] > 0
        case "&", one, other:
            return holds(one, signals) and holds(other, signals)
        case "|", one, other:
            return holds(one, signals) or holds(other, signals)
    return False


def met(tree: Tree, signals: Sequence[int], name: str, value: int) -> bool:
    """Whether a condition holds at a change of a signal to a value."""
    match tree:
        case "&", one, other:
            return met(one, signals, name, value) and met(other, signals, name, value)
        case "rises", own:
            return own == name and bool(value)
        case "falls", own:
            return own == name and not value
        case "changes", own:
            return bool(own == name)
    return holds(tree, signals)


def names_in(tree: Tree) -> set[str]:
    return {tree[1]} if isinstance(tree[1], str) else names_in(tree[1]) | names_in(tree[2])


class Search:
    """All states of a system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.codes = [Code(plan) for plan in system]
        self.outcomes: set[tuple[int, ...]] = set()
        """The last values of all signals in the runs that end with all programs ended."""
        self.written = {each[1] for code in self.codes for each in code.list if each[0] == "set"}

    def ended(self, state: State) -> bool:
        return all(plan.daemon or mark[0] < 0 for plan, mark in zip(self.system, state[1], strict=True))

    def nexts(self, state: State) -> list[tuple[int, State]]:
        """Return the states that can be next, and the seconds until then."""
        signals, marks, waiting = state
        if self.ended(state):
            return []
        found: list[tuple[int, State]] = []
        for who, (place, due, turns) in enumerate(marks):
            if due == 0 and who in waiting:
                after = self.codes[who].list[place][3], 0, turns
                found.append((0, (signals, (*marks[:who], after, *marks[who + 1 :]), waiting - {who})))
            elif due == 0:
                found += [(0, each) for each in self._run(state, who)]
        dues = [due for _, due, _ in marks if due]
        if found or not dues:
            return found
        soonest = min(dues)
        later = tuple((place, due - soonest if due else due, turns) for place, due, turns in marks)
        return [(soonest, (signals, later, waiting))]

    def _run(self, state: State, who: int) -> Iterator[State]:
        """Let a program continue until it waits, lets time pass or ends, with every choice."""
        code = self.codes[who].list
        begun = [(list(state[0]), list(state[1]), set(state[2]))]
        while begun:
            signals, marks, waiting = begun.pop()
            place, _, turns = marks[who]
            dues: tuple[int | None, ...] = ()
            while not dues:
                match code[place]:
                    case ("end",):
                        place, dues, turns = -1, (None,), 0
                    case "go", to:
                        place = to
                    case "unless", condition, to:
                        place = place + 1 if holds(condition, signals) else to
                    case "unless turns", limit, to:
                        place = place + 1 if turns == limit else to
                    case ("count",):
                        place, turns = place + 1, min(turns + 1, 4)
                    case "choose", to:
                        other = list(marks)
                        other[who] = to, 0, turns
                        begun.append((list(signals), other, set(waiting)))
                        place += 1
                    case "delay", dues:
                        place += 1
                    case "wait", conditions, timeout, _:
                        if any(holds(each, signals) for each in conditions):
                            place += 1
                        else:
                            dues = (timeout,)
                            waiting.add(who)
                    case "add", more:
                        self._set(signals, marks, waiting, "n", signals[-1] + more)
                        place += 1
                    case "set", name, value:
                        self._set(signals, marks, waiting, name, value)
                        place += 1
            for due in dues:
                marks[who] = place, due, turns
                yield tuple(signals), tuple(marks), frozenset(waiting)

    def _set(self, signals: list[int], marks: list[Mark], waiting: set[int], name: str, value: int) -> None:
        place = NAMES.index(name)
        if signals[place] == value:
            return
        signals[place] = value
        for other in sorted(waiting):
            at, _, turns = marks[other]
            conditions = self.codes[other].list[at][1]
            if any(name in names_in(each) and met(each, signals, name, value) for each in conditions):
                waiting.discard(other)
                marks[other] = at + 1, 0, turns

    def can_get_stuck(self, until: int | None, most: int) -> frozenset[int] | None:
        """Return the programs, except daemons, that are stuck at the end of some run; None: too many states."""
        marks = tuple((0, 0, 0) for _ in self.system)
        first: tuple[State, int] = (((False,) * len(BOOLS) + (0,)), marks, frozenset()), 0
        seen, fresh, ends = {first}, [first], set()
        while fresh:
            state, time = fresh.pop()
            after = self.nexts(state)
            if self.ended(state):
                self.outcomes.add(state[0])
            elif not after:
                ends.add(state)
            for passed, each in after:
                if until is not None and time + passed > until:
                    ends.add(state)
                elif (later := (each, 0 if until is None else time + passed)) not in seen:
                    seen.add(later)
                    fresh.append(later)
            if len(seen) > most:
                return None
        return self._stuck(ends, most)

    def _stuck(self, ends: set[State], most: int) -> frozenset[int] | None:
        graph: dict[State, list[State]] = {}
        fresh = list(ends)
        while fresh:
            state = fresh.pop()
            if state not in graph:
                graph[state] = [each for _, each in self.nexts(state)]
                fresh += graph[state]
                if len(graph) > most:
                    return None
        before: dict[State, list[State]] = {}
        for state, after in graph.items():
            for each in after:
                before.setdefault(each, []).append(state)
        return frozenset(
            who
            for who, plan in enumerate(self.system)
            if not plan.daemon
            for where in {self._held(state, who) for state in ends} - {None}
            if self._remains(graph, before, ends, who, where)
        )

    def _remains(
        self,
        graph: dict[State, list[State]],
        before: dict[State, list[State]],
        ends: set[State],
        who: int,
        where: object,
    ) -> bool:
        """Whether a program that is held somewhere at the end of a run can never leave it."""
        fresh = [state for state in graph if self._held(state, who) != where]
        free = set(fresh)
        while fresh:
            for each in before.get(fresh.pop(), ()):
                if each not in free:
                    free.add(each)
                    fresh.append(each)
        return any(self._held(state, who) == where and state not in free for state in ends)

    def _held(self, state: State, who: int) -> object:
        """Return where a program waits without a timeout, or polls a signal that something sets; None: nowhere."""
        place, due, _ = state[1][who]
        if place < 0:
            return None
        if who in state[2] and due is None:
            return place
        loop, name = self.codes[who].polls.get(place, (0, ""))
        return ("poll", loop) if name in self.written else None


# -- comparisons


def until_of(system: System) -> int | None:
    endless = "poll" in str(system) or "retry" in str(system)
    return UNTIL if endless or any(plan.cycle for plan in system) else None


def judged(system: System) -> Verdict:
    until = until_of(system)
    return verify(build_of(system), until=until and until + 0.5, ignore=["order"], seconds=60, budget=400)


def compared(source: random.Random) -> tuple[System, Verdict, frozenset[int]]:
    """Draw a system of which everything is known, and let drycell judge it."""
    while True:
        system = Writer(source).system()
        stuck = Search(system).can_get_stuck(until_of(system), 4000)
        if stuck is None:
            continue
        verdict = judged(system)
        if (verdict.faults or verdict.exhausted) and not _missed_message(system, verdict):
            return system, verdict, stuck


def _missed_message(system: System, verdict: Verdict) -> bool:
    """Whether the fault is a message that was missed by a daemon, or by a program that went on after a timeout: nobody
    is stuck for it, so the search here has no opinion about it."""
    for fault in verdict.faults:
        if fault.kind == "lost signal":
            daemon = system[int(str(fault.identity[2])[1:])].daemon
            return daemon or any("until its timeout" in line for line in fault.lines)
    return False


def compare(seed: str, count: int) -> dict[str, int]:
    source = random.Random(seed)
    figures = dict.fromkeys(("systems", "with a fault", "clean", "missed", "false"), 0)
    for _ in range(count):
        system, verdict, stuck = compared(source)
        figures["systems"] += 1
        figures["with a fault"] += bool(stuck)
        figures["clean"] += verdict.clean
        for fault in verdict.faults:
            figures[fault.kind] = figures.get(fault.kind, 0) + 1
        if bool(verdict.faults) != bool(stuck):
            figures["missed" if stuck else "false"] += 1
            daemons = [number for number, plan in enumerate(system) if plan.daemon]
            print("MISSED" if stuck else "FALSE", text_of(system), "daemons", daemons, "stuck", stuck, verdict)
    return figures


def test_verdicts_on_richer_programs_agree_with_an_explicit_search() -> None:
    figures = compare("sample", 60)
    assert (figures["missed"], figures["false"]) == (0, 0)
    assert figures["with a fault"] > 20
    assert figures["clean"] > 10


def simple(system: System) -> bool:
    """Whether all runs of a system end, and only the order of ties makes a difference."""
    draws = any(f"'{kind}'" in str(system) for kind in ("span", "choose"))
    return not draws and until_of(system) is None and not any(plan.daemon for plan in system)


def compare_outcomes(seed: str, count: int) -> dict[str, int]:
    source = random.Random(seed)
    figures = dict.fromkeys(("systems", "differ", "missed", "false"), 0)
    while figures["systems"] < count:
        system = Writer(source).system()
        search = Search(system)
        if not simple(system) or search.can_get_stuck(None, 4000) != frozenset():
            continue  # a deadlock would be found first
        verdict = verify(build_of(system), ignore=["lost signal"], seconds=60, budget=400)
        if not verdict.faults and not verdict.exhausted:
            continue
        figures["systems"] += 1
        differ = len(search.outcomes) > 1
        figures["differ"] += differ
        if bool(verdict.faults) != differ:
            figures["missed" if differ else "false"] += 1
            print("MISSED" if differ else "FALSE", text_of(system), search.outcomes, verdict)
    return figures


def test_outcomes_that_depend_on_the_order_of_a_tie_are_those_of_an_explicit_search() -> None:
    figures = compare_outcomes("outcomes", 250)
    assert (figures["missed"], figures["false"]) == (0, 0)
    assert figures["differ"] > 2


@pytest.mark.soak
def test_a_thousand_times_outcomes_depend_on_order_as_an_explicit_search_says() -> None:
    figures = compare_outcomes("soak outcomes", 1000)
    print(figures)
    assert (figures["missed"], figures["false"]) == (0, 0)


def random_runs(system: System, count: int) -> int:
    """The number of random runs that end with a program stuck."""
    found, until, build = 0, until_of(system), build_of(system)
    for seed in range(count):
        cell = Cell("random", chooser=RandomWalkChooser(seed))
        build(cell)
        result = cell.run(until and until + 0.5)
        found += bool(result.stuck) or result.ending == "deadlock"
    return found


def clean_ones(seed: str, count: int) -> Iterator[System]:
    source = random.Random(seed)
    while count:
        system, verdict, _ = compared(source)
        if verdict.clean:
            count -= 1
            yield system


def test_random_runs_find_nothing_in_richer_programs_that_were_judged_clean() -> None:
    assert sum(random_runs(system, 20) for system in clean_ones("clean sample", 5)) == 0


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(4))
def test_a_thousand_verdicts_on_richer_programs_agree_with_an_explicit_search(batch: int) -> None:
    figures = compare(f"soak {batch}", 300)
    print(figures)
    assert (figures["missed"], figures["false"]) == (0, 0)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(4))
def test_a_thousand_random_runs_find_nothing_in_200_richer_clean_verdicts(batch: int) -> None:
    found = sum(random_runs(system, 1000) for system in clean_ones(f"clean {batch}", 50))
    print(f"50 clean verdicts, 50,000 random runs: {found} with a program stuck")
    assert found == 0
