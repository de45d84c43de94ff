"""Time limits of the analysis of nets."""

from types import SimpleNamespace

import pytest

from drycell.base import DrycellError
from drycell.nets import Net, NetError, analyse, net_picture, place_invariants


def test_a_wide_net_is_given_up_when_its_time_is_over_with_what_is_known_by_then() -> None:
    net = Net("wide")
    for number in range(200):
        net.place(f"p{number}", 1)
        net.place(f"q{number}")
        net.transition(f"t{number}", [f"p{number}"], [f"q{number}"])
        net.transition(f"u{number}", [f"q{number}"], [f"p{number}"])
    found = analyse(net, seconds=1.0)
    assert not found.complete
    assert found.states > 1
    assert "stopped at the time limit of 1 s; there are more" in found.text()
    assert "deadlocks none among these" in found.text()


def test_invariants_are_given_up_when_their_time_is_over() -> None:
    net = Net("two")
    net.place("a", 1)
    net.place("b")
    net.transition("go", "a", "b")
    assert [str(each) for each in place_invariants(net)] == ["a + b = 1"]
    with pytest.raises(NetError, match="the invariants of net 'two' were not found within 0 s"):
        place_invariants(net, seconds=-1.0)


def test_invariants_are_given_up_within_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """One column of a wide net takes long: the time is also checked within it."""
    net = Net("hub")
    net.place("hub")
    for number in range(60):
        net.place(f"p{number}", 1)
        net.place(f"q{number}", 1)
    net.transition("mix", [f"p{number}" for number in range(60)], [f"q{number}" for number in range(60)])
    clock = iter(range(1000))
    monkeypatch.setattr("drycell.nets.invariants.time", SimpleNamespace(monotonic=lambda: next(clock)))
    with pytest.raises(NetError, match="not found within 20 s"):
        place_invariants(net, seconds=20.0)
    assert next(clock) < 30


def test_a_long_thin_net_ends_at_its_time_though_growth_is_not_excluded() -> None:
    net = Net("thin")
    net.place("a", 200_000)
    net.place("b")
    net.place("x")
    net.transition("step", "a", {"b": 2})
    net.transition("grow", "x", {"x": 2})
    found = analyse(net, seconds=0.0)
    assert not found.complete
    assert found.bounded


def test_a_picture_that_takes_too_long_is_not_drawn() -> None:
    net = Net("pair")
    net.place("a", 1)
    net.transition("t", "a")
    with pytest.raises(DrycellError, match="2 nodes and 1 arrows were not laid out within"):
        net_picture(net, seconds=-1.0)


def test_liveness_is_not_computed_when_no_time_is_left(two_takers: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 9.0])
    monkeypatch.setattr("drycell.nets.analysis.time", SimpleNamespace(monotonic=lambda: next(clock)))
    found = analyse(two_takers, seconds=10.0)
    assert (found.complete, found.liveness, found.reversible) == (True, None, None)
    assert "liveness  not known" in found.text()
