"""Disturbances depend only on the seed and the number of the message."""

import pytest

from drycell.base import FieldError
from drycell.effector.messages import UNDISTURBED, LinkTrouble

TROUBLE = LinkTrouble(late=0.2, lost=0.1, doubled=0.1, failing=0.05, latest=0.5)
ROUGH = TROUBLE.bound(seed=3)


def test_the_fate_of_a_message_depends_only_on_seed_direction_and_number():
    numbers = [*range(200)]
    once = [ROUGH.arrivals("command", number) for number in numbers]
    assert [ROUGH.arrivals("command", number) for number in reversed(numbers)] == once[::-1]
    assert [ROUGH.arrivals("reply", number) for number in numbers] != once
    assert [TROUBLE.bound(seed=4).arrivals("command", number) for number in numbers] != once


def test_faults_are_as_frequent_as_configured():
    fates = [ROUGH.arrivals("command", number) for number in range(20_000)]
    assert sum(not fate for fate in fates) / 20_000 == pytest.approx(0.1, abs=0.01)
    assert sum(len(fate) == 2 for fate in fates) / 20_000 == pytest.approx(0.09, abs=0.01)
    assert sum(fate != () and fate[0] > 0 for fate in fates) / 20_000 == pytest.approx(0.18, abs=0.01)
    assert sum(ROUGH.fails(number) for number in range(20_000)) / 20_000 == pytest.approx(0.05, abs=0.01)
    assert max(fate[0] for fate in fates if fate) <= 0.5


def test_losing_more_messages_does_not_change_which_ones_are_late():
    more = TROUBLE.changed(lost=0.5).bound(seed=3)
    for number in range(500):
        fate = more.arrivals("command", number)
        assert fate in ((), ROUGH.arrivals("command", number))


def test_without_faults_every_message_arrives_once_and_at_once():
    assert {UNDISTURBED.arrivals("reply", number) for number in range(100)} == {(0.0,)}
    assert not any(UNDISTURBED.fails(number) for number in range(100))
    assert not UNDISTURBED


@pytest.mark.parametrize("wrong", [{"late": 1.1}, {"lost": -0.1}, {"latest": 0.0}])
def test_a_probability_is_between_0_and_1(wrong):
    with pytest.raises(FieldError, match=next(iter(wrong))):
        LinkTrouble(**wrong)


def test_devices_of_one_seed_have_troubles_of_their_own():
    one, two = (LinkTrouble(late=0.5).bound(seed=3, device=name) for name in ("gripper", "wrist"))
    assert [one.arrivals("command", k) for k in range(20)] != [two.arrivals("command", k) for k in range(20)]
