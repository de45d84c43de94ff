"""Mailboxes and event flags in cell time."""

import pytest

from drycell.base import KernelError, UnknownName
from drycell.effector.messages import COMMAND, Code, LinkTrouble, MailboxPair, Message, Traffic, find_pair
from drycell.kernel import Kernel, delay, wait

STATUS = Message.of("PGSTA", sequence=1)


def answering(pair: MailboxPair) -> None:
    def serve() -> None:
        while (envelope := pair.take()) is not None:
            envelope.reply("STA", (0.0,) * 6)

    pair.subscribe(serve)


def run(kernel: Kernel, *programs):
    for program in programs:
        kernel.spawn(program)
    outcome = kernel.run()
    assert outcome.ending == "finished", outcome
    return outcome


def test_a_command_sets_its_flag_until_the_last_one_is_taken():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")
    seen = []

    def device() -> None:
        wait(pair.arrived)
        seen.append(pair.flags.value & COMMAND)
        pair.take()
        seen.append(pair.flags.value & COMMAND)
        pair.take()
        seen.append(pair.flags.value & COMMAND)

    def planner() -> None:
        desk = pair.client()
        desk.send(STATUS)
        desk.send(STATUS)

    run(kernel, device, planner)
    assert seen == [COMMAND, COMMAND, 0]


def test_replies_reach_the_mailbox_of_the_command():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")
    answering(pair)
    got = {}

    def planner(number: int) -> None:
        desk = pair.client()
        desk.send(Message.of("PGSTA", sequence=number))
        got[number] = desk.receive(1.0)
        assert desk.receive(0.1) is None

    run(kernel, lambda: planner(1), lambda: planner(2))
    assert {number: reply.sequence for number, reply in got.items()} == {1: 1, 2: 2}


def test_disallowed_messages_are_refused_and_counted_and_the_next_is_served():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")
    answering(pair)
    got = []

    def planner() -> None:
        desk = pair.client()
        for message in (
            Message.of("PGXYZ", sequence=1),
            Message.of("PFSTA", sequence=2),
            Message.of("PGSTA", sequence=3),
        ):
            desk.send(message)
            got.append(desk.receive())

    run(kernel, planner)
    assert [(type(each).__name__, each.sequence) for each in got] == [("Refusal", 1), ("Refusal", 2), ("Message", 3)]
    assert str(pair.tally) == "1 served, 2 refused (1 CMD, 1 DEV)"


def test_a_full_mailbox_refuses_instead_of_growing():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand", capacity=2)
    answers = []

    def planner() -> None:
        desk = pair.client(listener=answers.append)
        for number in range(4):
            desk.send(Message.of("PGSTA", sequence=number))

    run(kernel, planner)
    assert [(answer.code, answer.sequence) for answer in answers] == [(Code.FULL, 2), (Code.FULL, 3)]


def disturbed(seed: int) -> list[Traffic]:
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand", disturbance=LinkTrouble(late=0.3, lost=0.2, doubled=0.2).bound(seed))
    answering(pair)
    seen: list[Traffic] = []
    pair.watchers.append(seen.append)

    def planner() -> None:
        desk = pair.client()
        for number in range(50):
            desk.send(Message.of("PGSTA", sequence=number))
            desk.receive(0.05)
        delay(1.0)

    run(kernel, planner)
    return seen


def test_a_disturbed_run_is_the_same_for_the_same_seed():
    seen = disturbed(1)
    assert seen == disturbed(1)
    assert seen != disturbed(2)
    assert {"late", "lost", "doubled", "sent", "delivered"} <= {each.event for each in seen}


def test_messages_to_an_abandoned_mailbox_are_dropped_and_reported():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")
    seen: list[Traffic] = []
    pair.watchers.append(seen.append)

    def planner() -> None:
        desk = pair.client()
        desk.send(STATUS)
        desk.close()
        envelope = pair.take()
        assert envelope is not None
        envelope.reply("STA", (0.0,) * 6)

    run(kernel, planner)
    assert [each.event for each in seen] == ["sent", "dropped"]


def test_a_mailbox_with_a_listener_is_not_polled():
    pair = MailboxPair(Kernel(), "hand")
    with pytest.raises(KernelError, match="listener"):
        pair.client(listener=lambda answer: None).receive(1.0)


def test_mailboxes_are_found_by_name_in_their_own_cell():
    first, second = Kernel(), Kernel()
    hand, other = MailboxPair(first, "hand"), MailboxPair(second, "hand")
    assert (find_pair(first), find_pair(second, "hand")) == (hand, other)
    with pytest.raises(UnknownName, match="hnad"):
        find_pair(first, "hnad")
    wrist = MailboxPair(first, "wrist", "F")
    with pytest.raises(KernelError, match="hand, wrist"):
        find_pair(first)
    assert find_pair(first, "wrist") is wrist


def test_waiting_for_a_reply_that_never_comes_is_a_deadlock():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")

    def planner() -> None:
        desk = pair.client()
        desk.send(STATUS)
        desk.receive()

    kernel.spawn(planner)
    assert kernel.run().ending == "deadlock"
