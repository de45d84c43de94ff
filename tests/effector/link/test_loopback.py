"""Ten thousand commands, none lost or out of order."""

import threading
from collections import deque

import pytest

from drycell.base import ProgramError
from drycell.effector.link import connect
from drycell.effector.link.client import MOST_OPEN


def test_ten_thousand_commands_are_neither_lost_nor_reordered(serve, stand_in, address):
    with connect(str(serve(address).address)) as gripper:
        under_way = deque()
        for number in range(10_000):
            under_way.append(gripper.move_to(number / 10_000))
            if len(under_way) == 500:
                ticket = under_way.popleft()
                assert ticket.wait().gap == ticket.message.reals[1]
        for ticket in under_way:
            assert ticket.wait().gap == ticket.message.reals[1]
        assert gripper.calls.strays == 0
    assert [message.reals[1] for message in stand_in.seen] == [number / 10_000 for number in range(10_000)]


def test_a_client_that_sends_long_before_it_reads_is_not_stuck(serve, address):
    with connect(str(serve(address).address)) as gripper:
        tickets = [gripper.move_to(number / 10_000) for number in range(MOST_OPEN)]
        with pytest.raises(ProgramError, match=r"4096 commands .* have no reply yet"):
            gripper.move_to(0.0)
        for ticket in tickets:
            assert ticket.wait().gap == ticket.message.reals[1]


def test_ten_thousand_commands_by_several_programs_come_back_each_to_its_own(serve, address):
    server = serve(address)
    wrong: list[object] = []

    def program(own: int) -> None:
        with connect(str(server.address)) as gripper:
            for number in range(25):
                gaps = [(own * 1000 + number * 40 + each) / 20_000 for each in range(100)]
                tickets = [gripper.move_to(gap) for gap in gaps]
                wrong.extend(gap for gap, ticket in zip(gaps, tickets, strict=True) if ticket.wait().gap != gap)

    threads = [threading.Thread(target=program, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert server.tally.served == 10_000
