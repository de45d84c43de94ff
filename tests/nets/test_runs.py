"""Nets and runs of cells: on the clock, and steering ahead of it."""

from random import Random

import pytest

from drycell import Cell, delay, wait
from drycell.base import UnknownName
from drycell.nets import ClockedNet, ColouredNet, Net, NetError, Supervisor


def test_a_net_on_the_clock_takes_its_time_and_is_tied_to_signals() -> None:
    cell = Cell("mill")
    part, busy = cell.signal("part_there", False), cell.signal("busy", False)
    net = Net("mill")
    net.place("idle", 1)
    net.place("loaded")
    net.place("rack", capacity=1)
    net.transition("load", "idle", "loaded", lasts=2)
    net.transition("cut", "loaded", ["idle", "rack"], lasts=3)
    clocked = ClockedNet(cell, net, when={"load": part}, sets={"loaded": busy})

    @cell.program
    def feed() -> None:
        delay(1)
        part.set(True)
        wait(clocked.places["rack"] >= 1)

    result = cell.run()
    assert result.duration == 6  # the part comes at 1 s, 2 s to load it, 3 s to cut it
    assert [change[:2] for change in busy.history] == [(0, False), (3_000_000, True), (3_000_000, False)]
    # The second part is loaded, but not cut: the rack is full.
    assert [r.fields["event"] for r in cell.kernel.journal.records if r.kind == "fires"] == ["load", "cut", "load"]


def test_test_and_reset_arcs_on_the_clock() -> None:
    """A press works only while its guard is closed; a service removes all its chips."""
    cell = Cell("press")
    net = Net("press")
    net.place("open", 1)
    net.place("closed")
    net.place("blanks", 3)
    net.place("chips")
    net.transition("close", "open", "closed", lasts=5)
    net.transition("stroke", "blanks", {"chips": 2}, needs="closed", lasts=1)
    net.transition("service", gives="open", needs={"chips": 6}, empties=["chips", "closed"], lasts=4)
    clocked = ClockedNet(cell, net)
    cell.program(name="main")(lambda: wait(clocked.places["chips"] >= 6) and wait(clocked.places["open"]))
    assert cell.run().duration == 10  # 5 s to close, 1 s for all strokes together, 4 s of service
    assert [change[:2] for change in clocked.places["chips"].history] == [
        (0, 0), (6_000_000, 2), (6_000_000, 4), (6_000_000, 6), (6_000_000, 0),
    ]  # fmt: skip
    assert clocked.places["closed"].peek() == 0


def test_how_long_a_firing_lasts_is_drawn_from_its_interval() -> None:
    def lasted(seed: int) -> float:
        cell = Cell("once", seed=seed)
        net = Net("once")
        net.place("a", 1)
        net.place("b")
        net.transition("t", "a", "b", lasts=(2, 4))
        clocked = ClockedNet(cell, net)
        cell.program(name="main")(lambda: wait(clocked.places["b"]))
        return cell.run().duration

    assert lasted(1) == lasted(1) != lasted(2)
    assert 2 <= lasted(1) <= 4


def test_ties_to_what_is_not_in_the_net_are_refused() -> None:
    cell = Cell("x")
    with pytest.raises(UnknownName, match="no transition 'go'"):
        ClockedNet(cell, Net("empty"), when={"go": cell.signal("s", False)})


def test_a_supervisor_refuses_what_a_deadlock_lies_behind(lending: ColouredNet) -> None:
    supervisor = Supervisor(lending)
    assert supervisor.allows("take", who="right")
    supervisor.happens("take", who="left")
    assert supervisor.enabled("take", who="right")
    assert not supervisor.allows("take", who="right")
    assert supervisor.allows("take", who="left", what="tool")
    supervisor.happens("take", who="left")
    supervisor.happens("give back", who="left")
    assert supervisor.allows("take", who="right")


def test_an_event_that_the_net_does_not_allow_is_an_error(lending: ColouredNet) -> None:
    supervisor = Supervisor(lending)
    with pytest.raises(NetError, match=r"give back\(who=left\) happened, but net 'lending' does not allow it"):
        supervisor.happens("give back", who="left")
    with pytest.raises(UnknownName, match="no event of the net 'tak'"):
        supervisor.happens("tak")


def with_machine(net: ColouredNet) -> ColouredNet:
    """Add a machine that is switched on and off, and has nothing to do with the rest."""
    net.place("machine", ["off"])
    net.transition("switch on", takes={"machine": '"off"'}, gives={"machine": '"on"'})
    net.transition("switch off", takes={"machine": '"on"'}, gives={"machine": '"off"'})
    return net


@pytest.mark.parametrize("machine", [False, True])
def test_an_independent_cycle_does_not_switch_the_look_ahead_off(lending: ColouredNet, machine: bool) -> None:
    def finishes(seed: int) -> bool:
        cell = Cell("ring", seed=seed)
        supervisor = Supervisor(with_machine(lending) if machine and "machine" not in lending.places else lending, cell)

        def work(who: str) -> None:
            stream = Random(f"{seed} {who}")
            for _ in range(3):
                for _ in range(2):
                    supervisor.request("take", who=who)
                    delay(stream.choice((0.5, 1.0)))
                supervisor.happens("give back", who=who)

        for who in ("left", "right"):
            cell.program(name=who)(lambda who=who: work(who))
        if machine:

            @cell.program
            def toggle() -> None:
                for event in ("switch on", "switch off") * 5:
                    supervisor.request(event)
                    delay(0.7)

        return cell.run(until=60).ending == "finished" and not supervisor.warning

    assert sum(finishes(seed) for seed in range(40)) == 40


def test_an_arm_that_goes_on_with_the_same_transitions_does_not_switch_the_look_ahead_off() -> None:
    """Left and right can block each other; the third arm has things of its own, and never ends."""
    routes = {"left": ("nest", "tool"), "right": ("tool", "nest"), "third": ("vise", "jig")}
    net = ColouredNet("three arms")
    net.place("free", ["nest", "tool", "vise", "jig"])
    net.place("step", [(who, 0) for who in routes])
    net.place("route", [(who, n, what) for who, things in routes.items() for n, what in enumerate(things)])
    net.transition(
        "take",
        takes={"step": "(who, n)", "route": "(who, n, what)", "free": "what"},
        gives={"step": "(who, n + 1)", "route": "(who, n, what)"},
    )
    net.transition(
        "give back",
        takes={"step": "(who, 2)", "route": ["(who, 0, first)", "(who, 1, then)"]},
        gives={"step": "(who, 0)", "route": ["(who, 0, first)", "(who, 1, then)"], "free": ["first", "then"]},
    )
    supervisor = Supervisor(net)
    supervisor.happens("take", who="third")
    supervisor.happens("take", who="left")
    assert supervisor.enabled("take", who="right")
    assert not supervisor.allows("take", who="right")
    assert supervisor.allows("take", who="third")

    def finishes(seed: int) -> bool:
        cell = Cell("three arms", seed=seed)
        supervisor = Supervisor(net, cell)

        def work(who: str) -> None:
            stream = Random(f"{seed} {who}")
            for _ in range(50 if who == "third" else 3):
                for what in routes[who]:
                    delay(stream.choice((0, 1, 2)))
                    supervisor.request("take", who=who, what=what)
                delay(1)
                supervisor.happens("give back", who=who)

        for who in routes:
            cell.program(name=who)(lambda who=who: work(who))
        return cell.run(until=600).ending == "finished" and not supervisor.warning

    assert sum(finishes(seed) for seed in range(10)) == 10


def test_where_bindings_exclude_each_other_the_transition_itself_is_kept_able_to_fire() -> None:
    """An arm chooses its tool for good; then it can turn it on and off repeatedly, but could also drop it."""
    net = ColouredNet("tools")
    net.place("rack", ["drill", "saw"])
    net.place("hand", ["empty"])
    net.place("lamp", ["off"])
    net.transition("choose", takes={"rack": "tool", "hand": '"empty"'}, gives={"hand": "(tool, 0)"})
    net.transition("turn", takes={"hand": "(tool, n)"}, gives={"hand": "(tool, 1 - n)"})
    net.transition("drop", takes={"hand": "(tool, 1)"}, gives={})
    net.transition("blink", takes={"lamp": '"off"'}, gives={"lamp": '"off"'})
    supervisor = Supervisor(net)
    with pytest.warns(
        RuntimeWarning, match=r"'turn\(.*each of these transitions is kept able to fire with some binding"
    ):
        assert supervisor.allows("choose", tool="saw")
    supervisor.happens("choose", tool="saw")
    supervisor.happens("turn")
    assert supervisor.enabled("drop")
    assert not supervisor.allows("drop")


def test_a_supervisor_warns_where_it_cannot_steer() -> None:
    modes = Net("modes")  # an automatic cycle that is never entered again
    for place, tokens in {"a": 1, "b": 0, "c": 0, "d": 0}.items():
        modes.place(place, tokens)
    for name, takes, gives in (
        ("go", "a", "b"),
        ("back", "b", "a"),
        ("leave", "a", "c"),
        ("up", "c", "d"),
        ("down", "d", "c"),
    ):
        modes.transition(name, takes, gives)
    supervisor = Supervisor(modes)
    with pytest.warns(RuntimeWarning, match="'back', 'down', 'go', 'up' cannot all stay able to fire"):
        assert supervisor.allows("leave")
    assert "pass goal=" in supervisor.warning
    jobs = Net("jobs")  # two jobs beside a machine that runs without end
    for place, tokens in {"job": 2, "done": 0, "on": 1}.items():
        jobs.place(place, tokens)
    jobs.transition("do", "job", "done")
    jobs.transition("tick", "on", "on")
    with pytest.warns(RuntimeWarning, match="'do' can fire only a limited number of times"):
        assert Supervisor(jobs).allows("do")
    assert Supervisor(jobs, goal=lambda marking: marking[1] == 2).allows("do")


def test_uncontrollable_transitions_are_taken_into_account() -> None:
    """A part may be sent to a machine that can jam by itself only if the jam can be cleared."""
    net = Net("jam")
    for place, tokens in {"part": 1, "in a": 0, "in b": 0, "jammed": 0, "done": 0}.items():
        net.place(place, tokens)
    net.transition("to a", "part", "in a")
    net.transition("to b", "part", "in b")
    net.transition("jam", "in a", "jammed")
    net.transition("cut a", "in a", "done")
    net.transition("cut b", "in b", "done")

    def goal(marking: tuple[int, ...]) -> bool:
        return marking[net.index["done"]] == 1

    hopeful = Supervisor(net, goal=goal)
    assert hopeful.allows("to a")
    wary = Supervisor(net, goal=goal, uncontrollable=["jam"])
    assert not wary.allows("to a")
    assert wary.allows("to b")


def test_beyond_the_horizon_all_is_taken_to_be_safe() -> None:
    net = Net("slope")
    for number in range(5):
        net.place(f"p{number}", int(number == 0))
    for number in range(4):
        net.transition(f"t{number}", f"p{number}", f"p{number + 1}")
    with pytest.warns(RuntimeWarning, match="every continuation ends in a deadlock"):
        assert not Supervisor(net).allows("t0")
    assert Supervisor(net, horizon=2).allows("t0")


def test_a_request_waits_in_a_program_and_can_be_given_up(lending: ColouredNet) -> None:
    cell = Cell("lending")
    supervisor = Supervisor(lending, cell)
    seen: list[object] = []

    @cell.program
    def left() -> None:
        supervisor.request("take", who="left")
        delay(1)
        supervisor.request("take", who="left")
        delay(1)
        supervisor.happens("give back", who="left")

    @cell.program
    def right() -> None:
        seen.append(supervisor.request("take", who="right", timeout=0.5))
        supervisor.request("take", who="right")
        seen.append(cell.time)

    assert cell.run().ending == "finished"
    assert seen == [False, 2.0]
    assert supervisor.refusals == ["take(who=right)"] * 2
    with pytest.raises(NetError, match="can only be requested in a running program"):
        supervisor.request("take", who="right")
