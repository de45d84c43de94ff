"""How long a net is looked at."""

import time

from drycell.verify.nets import Net, analyse


def test_a_wide_net_is_given_up_when_its_time_is_over_with_what_is_known_by_then() -> None:
    net = Net("wide")
    for number in range(200):
        net.place(f"p{number}", 1)
        net.place(f"q{number}")
        net.transition(f"t{number}", [f"p{number}"], [f"q{number}"])
        net.transition(f"u{number}", [f"q{number}"], [f"p{number}"])
    began = time.process_time()
    found = analyse(net, seconds=1.0)
    assert time.process_time() - began < 2 * 1.0 + 1.0
    assert not found.complete
    assert found.states > 1
    assert "the time of 1 s is over; there are more" in found.text()
    assert "deadlocks none among these" in found.text()
