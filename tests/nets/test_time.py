"""How long a net is looked at."""

import pytest

from drycell.nets import Net, NetError, analyse, place_invariants


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
    with pytest.raises(NetError, match="the invariants of net 'two' were not found within -1 s"):
        place_invariants(net, seconds=-1.0)
