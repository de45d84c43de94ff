"""The token game of plain nets, played by hand and at random."""

from functools import reduce

import pytest
from hypothesis import given, strategies as st

from drycell.base import UnknownName
from drycell.nets import Net, NetError, explore, play


def mill() -> Net:
    net = Net("mill")
    net.place("part", 5)
    net.place("idle", 1)
    net.place("rack", capacity=2)
    net.place("stop")
    net.transition("load", takes={"part": 2, "idle": 1}, gives="rack", unless="stop")
    net.transition("fetch", takes="rack", gives="idle")
    net.transition("halt", gives={"stop": 1})
    return net


def test_a_firing_takes_and_gives_by_weight() -> None:
    net = mill()
    after = net.fire(net.initial, "load")
    assert net.tokens(after) == {"part": 3, "rack": 1}
    assert net.text(after) == "part 3, rack"
    assert net.enabled(after) == ["fetch", "halt"]
    assert reduce(net.fire, ["load", "fetch", "load"], net.initial) == net.marking({"part": 1, "rack": 1})


def test_a_firing_that_is_not_enabled_says_why_and_what_is() -> None:
    net = mill()
    with pytest.raises(NetError) as error:
        net.fire(net.marking({"part": 1, "idle": 1}), "load")
    assert str(error.value) == (
        "transition 'load' is not enabled: 'part' has 1 of 2 tokens\n  try: enabled here: 'halt'"
    )
    assert net.why_disabled(net.marking({"part": 2, "idle": 1, "stop": 1}), "load") == (
        "'stop' has 1 tokens but must have fewer than 1"
    )
    assert net.why_disabled(net.marking({"part": 2, "idle": 1, "rack": 2}), "load") == (
        "'rack' would have 3 tokens but holds at most 2"
    )


def test_mistakes_in_building_a_net_name_what_is_wrong() -> None:
    net = mill()
    with pytest.raises(NetError, match="there is already a 'part'"):
        net.place("part")
    with pytest.raises(NetError, match="3 is not between 0 and 2"):
        net.place("box", 3, capacity=2)
    with pytest.raises(UnknownName, match="no place for transition 'x' 'rak'"):
        net.transition("x", takes="rak")
    with pytest.raises(NetError, match="has weight 0: it must be ≥ 1"):
        net.transition("x", takes={"rack": 0})
    with pytest.raises(NetError, match="cannot last 3 s to 2 s"):
        net.transition("x", lasts=(3, 2))


def test_a_random_game_is_reproducible_with_its_seed() -> None:
    net = mill()
    games = [[move for move, _ in play(net, 20, seed)] for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


@given(st.data())
def test_exploring_finds_what_the_token_game_reaches(small_nets: st.SearchStrategy[Net], data: st.DataObject) -> None:
    """All states, firings and deadlocks agree with a search that only plays by the rules."""
    net = data.draw(small_nets)
    seen, order = {net.initial}, [net.initial]
    firings = dead = 0
    for marking in order:
        enabled = net.enabled(marking)
        firings += len(enabled)
        dead += not enabled
        for move in enabled:
            after = net.fire(marking, move)
            if after not in seen:
                seen.add(after)
                order.append(after)
    graph = explore(net)
    assert list(graph.states) == order
    assert (len(graph), len(graph.edges), len(graph.dead)) == (len(seen), firings, dead)
    for state in range(len(graph)):
        assert reduce(net.fire, graph.path(state), net.initial) == graph.states[state]
