"""Coloured nets: tokens are values, arcs match and make them."""

import pytest

from drycell.nets import ColouredNet, NetError, explore
from drycell.nets.expression import ArcExpression


def test_every_binding_is_a_firing_of_its_own(lending: ColouredNet) -> None:
    net = lending
    assert [str(firing) for firing in net.enabled(net.initial)] == [
        "take(who=left, n=0, what=nest)",
        "take(who=right, n=0, what=tool)",
    ]
    after = net.fire(net.initial, net.firing("take", who="left", n=0, what="nest"))
    assert net.tokens(after)["step"] == (("left", 1), ("right", 0))
    assert net.tokens(after)["free"] == ("tool",)


def test_its_states_and_its_deadlock_are_those_of_the_unfolded_net(lending: ColouredNet) -> None:
    graph = explore(lending)
    assert (len(graph), len(graph.dead)) == (6, 1)
    assert [str(firing) for firing in graph.deadlock or ()] == [
        "take(who=left, n=0, what=nest)",
        "take(who=right, n=0, what=tool)",
    ]
    assert graph.liveness == {"take": "repeatable", "give back": "repeatable"}


def test_functions_of_python_may_stand_on_arcs() -> None:
    net = ColouredNet()
    net.place("queue", [3, 1])
    net.place("done")
    net.transition("sort", {"queue": ["a", "b"]}, {"done": lambda a, b: (a, b)}, where=lambda a, b: a < b)
    assert net.text(net.fire(net.initial, "sort")) == "done {(1, 3)}"


def test_mistakes_name_transition_and_text(lending: ColouredNet) -> None:
    net = lending
    with pytest.raises(NetError, match="'x' uses 'who' in 'who', but no token it takes binds it"):
        net.transition("x", {"free": "what"}, {"free": "who"})
    with pytest.raises(NetError, match=r"'x' cannot take 'n \+ 1'"):
        net.transition("x", {"free": "n + 1"})
    with pytest.raises(NetError, match="'take' can fire in 2 ways: take"):
        net.fire(net.initial, "take")
    with pytest.raises(NetError, match=r"there is no \('left', 0, 'hammer'\) on 'route'"):
        net.fire(net.initial, net.firing("take", who="left", n=0, what="hammer"))


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "x.real", "x[0]", "lambda: 1", "[1, 2]", "9 ** 9", "f'{x}'", "(x := 1)", "b'a'",
     "x +", "", "a" * 501],
)  # fmt: skip
def test_an_expression_holds_nothing_that_could_be_run(text: str) -> None:
    with pytest.raises(NetError):
        ArcExpression(text)


def test_sums_stay_within_limits() -> None:
    assert ArcExpression("(a, b * 2 - 1, 'x' if a == 1 and not b < 0 else None)").value({"a": 1, "b": 3}) == (1, 5, "x")
    with pytest.raises(NetError, match="beyond"):
        ArcExpression("a * a * a").value({"a": 1_000_000})
    with pytest.raises(NetError, match="is not a number"):
        ArcExpression("a * 3").value({"a": "ab"})
    with pytest.raises(NetError, match="has no value"):
        ArcExpression("a // 0").value({"a": 1})
