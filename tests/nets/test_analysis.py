"""Analyses of nets: published counts of states, deadlocks, bounds, liveness, invariants."""

from collections.abc import Callable
from functools import reduce
from math import inf

import networkx
import pytest
from hypothesis import given, strategies as st

from drycell.nets import (
    Net,
    NetError,
    analyse,
    explore,
    place_invariants,
    transition_invariants,
)

Fms = Callable[[int], Net]


@pytest.mark.parametrize(("parts", "states", "firings"), [(1, 120, 345), (2, 3_444, 16_311), (3, 48_590, 297_382)])
def test_the_flexible_manufacturing_system_has_as_many_states_as_published(
    parts: int, states: int, firings: int, fms: Fms
) -> None:
    graph = explore(fms(parts))
    assert (len(graph), len(graph.edges), graph.complete) == (states, firings, True)
    assert graph.deadlock is None
    assert graph.live
    assert graph.reversible


@pytest.mark.soak
def test_half_a_million_states_are_counted_exactly(fms: Fms) -> None:
    assert len(explore(fms(4))) == 438_600


def test_the_shortest_way_into_a_deadlock_is_found(two_takers: Net) -> None:
    found = analyse(two_takers)
    assert found.deadlock == ["left takes nest", "right takes tool"]
    assert (found.states, found.firings, found.deadlocks, found.reversible) == (6, 8, 1, False)
    assert set((found.liveness or {}).values()) == {"repeatable"}
    assert "deadlocks 1; the nearest after 2 firings: left takes nest, right takes tool" in found.text()


def test_liveness_has_four_levels() -> None:
    net = Net()
    net.place("start", 1)
    net.place("a")
    net.place("b")
    net.place("never")
    net.transition("once", "start", "a")
    net.transition("spin", "a", "a")
    net.transition("over", "a", "b")
    net.transition("turn", "b", "b")
    net.transition("dead", "never", "a")
    graph = explore(net)
    assert graph.liveness == {
        "once": "limited", "spin": "repeatable", "over": "limited", "turn": "live", "dead": "dead",
    }  # fmt: skip
    assert not graph.reversible


@given(st.data())
def test_liveness_and_the_home_agree_with_their_definitions(
    small_nets: st.SearchStrategy[Net], data: st.DataObject
) -> None:
    net = data.draw(small_nets)
    graph = explore(net)
    edges = list(zip(graph.edges.sources.tolist(), graph.edges.targets.tolist(), strict=True))
    whole = networkx.DiGraph(edges)
    whole.add_nodes_from(range(len(graph)))
    reaching = {state: networkx.descendants(whole, state) | {state} for state in whole}
    assert graph.reversible == all(0 in after for after in reaching.values())
    fires = [graph.moves[move] for move in graph.edges.moves.tolist()]
    for name, level in graph.liveness.items():
        firing = {source for (source, _), fired in zip(edges, fires, strict=True) if fired == name}
        assert (level == "live") == (bool(firing) and all(after & firing for after in reaching.values()))
        assert (level == "dead") == (not firing)


def test_an_unbounded_place_is_found_with_the_firings_that_let_it_grow() -> None:
    net = Net("feeder")
    net.place("on", 1)
    net.place("off")
    net.place("belt")
    net.transition("switch on", "off", "on")
    net.transition("switch off", "on", "off")
    net.transition("feed", "off", {"off": 1, "belt": 2})
    with pytest.raises(NetError) as error:
        explore(net)
    assert str(error.value) == (
        "net 'feeder' is unbounded: 'belt' can grow without limit: after switch off, fire feed repeatedly\n"
        "  try: give the place a capacity"
    )
    assert analyse(net).bounds["belt"] == inf
    assert not analyse(net).bounded


def test_tokens_that_grow_until_a_capacity_ends_it_do_not_grow_without_end() -> None:
    net = Net("rack")
    net.place("rack", capacity=3)
    net.place("count")
    net.transition("fill", gives=["rack", "count"])
    assert len(explore(net)) == 4


def test_a_net_may_be_bounded_although_its_tokens_could_grow_elsewhere() -> None:
    net = Net()
    net.place("go")
    net.place("heap", 1)
    net.transition("grow", ["go", "heap"], {"go": 1, "heap": 2})
    assert analyse(net).bounds == {"go": 0, "heap": 1}


def test_more_than_127_tokens_on_a_place_are_counted_as_well() -> None:
    net = Net()
    net.place("a", 100)
    net.place("b", 100)
    net.transition("to b", "a", "b")
    assert len(explore(net)) == 101
    assert explore(net).states[-1] == (0, 200)


def test_weights_and_tokens_beyond_a_byte_are_fired_exactly() -> None:
    net = Net()
    net.place("pallet", 2)
    net.place("box")
    net.place("crate", capacity=70_000)
    net.transition("unpack", "pallet", {"box": 300})
    net.transition("pack", {"box": 300}, {"crate": 35_001}, unless={"crate": 300})
    assert explore(net).states[:] == [(2, 0, 0), (1, 300, 0), (0, 600, 0), (1, 0, 35_001), (0, 300, 35_001)]


@given(st.data())
def test_exploring_finds_what_firing_one_marking_after_another_finds(
    small_nets: st.SearchStrategy[Net], data: st.DataObject
) -> None:
    net = data.draw(small_nets)
    limit = data.draw(st.sampled_from([1, 3, 10, 10_000]))
    order, edges, complete = [net.initial], [], True
    for here, marking in enumerate(order):
        for move in net.enabled(marking):
            after = net.fire(marking, move)
            if after not in order and len(order) < limit:
                order.append(after)
            if after in order:
                edges.append((here, move, order.index(after)))
            else:
                complete = False
    graph = explore(net, limit)
    columns = (graph.edges.sources.tolist(), graph.edges.moves.tolist(), graph.edges.targets.tolist())
    assert list(graph.states) == order
    assert [(source, graph.moves[move], to) for source, move, to in zip(*columns, strict=True)] == edges
    assert list(graph.dead) == [here for here, marking in enumerate(order) if not net.enabled(marking)]
    assert graph.complete == complete
    assert all(reduce(net.fire, graph.path(here), net.initial) == marking for here, marking in enumerate(order))


@given(st.data())
def test_a_net_is_unbounded_if_and_only_if_a_marking_covers_one_before_it(data: st.DataObject) -> None:
    net = Net("free")
    places = ["a", "b", "c"]
    for place in places:
        net.place(place, data.draw(st.integers(0, 2)))
    arcs = st.dictionaries(st.sampled_from(places), st.integers(1, 2), max_size=2)
    for number in range(data.draw(st.integers(0, 4))):
        net.transition(f"t{number}", data.draw(arcs), data.draw(arcs))
    lines, bounded = [[net.initial]], True
    seen = {net.initial}
    for line in lines:  # a tree, as Karp and Miller grow it
        for move in net.enabled(line[-1]):
            after = net.fire(line[-1], move)
            if any(after != old and all(x <= y for x, y in zip(old, after, strict=True)) for old in line):
                bounded = False
            elif after not in seen:
                seen.add(after)
                lines.append([*line, after])
        if not bounded:
            break
    found = analyse(net)
    assert found.bounded == bounded
    if bounded:
        assert found.states == len(seen)


def test_an_emptied_place_is_not_reported_as_growing() -> None:
    """Emptying and refilling a place leads to more tokens once, but not repeatedly."""
    net = Net("tray")
    net.place("tray")
    net.transition("refill", gives={"tray": 3}, empties="tray")
    assert analyse(net).bounds == {"tray": 3}
    net.place("count")
    net.transition("add", "tray", ["tray", "count"])
    assert analyse(net).bounds == {"count": inf}


def test_at_the_limit_nothing_is_claimed_of_the_rest(fms: Fms) -> None:
    graph = explore(fms(2), 100)
    assert (len(graph), graph.complete) == (100, False)
    with pytest.raises(NetError, match="only the first 100 states were explored"):
        _ = graph.liveness
    assert "100, " in analyse(fms(2), 100).text()
    assert "there are more" in analyse(fms(2), 100).text()


def test_invariants_of_the_two_takers_say_who_can_have_what(two_takers: Net) -> None:
    assert [str(each) for each in place_invariants(two_takers)] == [
        "nest + left 1 + left 2 + right 2 = 1",
        "tool + left 2 + right 1 + right 2 = 1",
        "left 0 + left 1 + left 2 = 1",
        "right 0 + right 1 + right 2 = 1",
    ]
    assert [str(each) for each in transition_invariants(two_takers)] == [
        "left takes nest + left takes tool + left gives back",
        "right takes tool + right takes nest + right gives back",
    ]


def test_weights_of_invariants_are_whole_and_smallest() -> None:
    net = Net()
    net.place("pallet", 2)
    net.place("box")
    net.transition("unpack", "pallet", {"box": 6})
    net.transition("pack", {"box": 4}, {})
    net.transition("refill", {}, {"box": 4})
    assert place_invariants(net) == []
    assert [str(each) for each in transition_invariants(net)] == ["pack + refill"]
    net = Net()
    net.place("pallet", 2)
    net.place("box")
    net.transition("unpack", "pallet", {"box": 6})
    assert [str(each) for each in place_invariants(net)] == ["6 pallet + box = 12"]


def test_too_many_invariants_are_refused_and_the_states_counted_all_the_same() -> None:
    net = Net("ladder")  # 2 to the 20th ways to choose a place of each rung
    for rung in range(20):
        net.place(f"a{rung}", int(rung == 0))
        net.place(f"b{rung}", int(rung == 0))
    for rung in range(20):
        after = (rung + 1) % 20
        net.transition(f"t{rung}", [f"a{rung}", f"b{rung}"], [f"a{after}", f"b{after}"])
    with pytest.raises(NetError, match="'ladder' has more than 5000 intermediate invariants"):
        place_invariants(net)
    graph = explore(net)
    assert len(graph) == 20
    assert graph.live


def test_an_empty_net_has_one_state() -> None:
    graph = explore(Net())
    assert (len(graph), list(graph.dead), graph.reversible) == (1, [0], True)


@given(st.data())
def test_invariants_hold_in_every_state(small_nets: st.SearchStrategy[Net], data: st.DataObject) -> None:
    net = data.draw(small_nets)
    states = explore(net).states
    for each in place_invariants(net):
        assert {sum(weight * state[net.index[p]] for p, weight in each.weights.items()) for state in states} == {
            each.total
        }
    for each in transition_invariants(net):
        gain = {p: sum(count * net.transitions[t].gain(p) for t, count in each.counts.items()) for p in net.places}
        assert not any(gain.values())
