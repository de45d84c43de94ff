"""Mailboxes and event flags."""

import pytest

from drycell.base import KernelError
from drycell.kernel import EventFlags, Kernel, Mailbox, delay, now


def test_messages_arrive_in_order_and_readers_block_for_them() -> None:
    kernel = Kernel()
    box: Mailbox[str] = Mailbox(kernel, "orders")
    got: list[tuple[float, str]] = []

    def reader() -> None:
        for _ in range(3):
            message = box.get()
            got.append((now(), message))

    def writer() -> None:
        delay(1)
        box.put("a")
        box.put("b")
        delay(1)
        box.put("c")

    kernel.spawn(reader)
    kernel.spawn(writer)
    kernel.run()
    assert got == [(1.0, "a"), (1.0, "b"), (2.0, "c")]


def test_every_message_goes_to_one_of_several_readers() -> None:
    kernel = Kernel()
    box: Mailbox[int] = Mailbox(kernel, "parts")
    got: list[tuple[str, int]] = []

    def reader(name: str) -> None:
        while True:
            got.append((name, box.get()))

    for name in ("r1", "r2"):
        kernel.spawn(reader, name, daemon=True)

    def writer() -> None:
        for number in range(4):
            delay(1)
            box.put(number)
        delay(1)

    kernel.spawn(writer)
    kernel.run()
    assert sorted(number for _, number in got) == [0, 1, 2, 3]


def test_a_full_mailbox_blocks_programs_and_refuses_devices() -> None:
    kernel = Kernel()
    box: Mailbox[int] = Mailbox(kernel, "buffer", capacity=2)
    times: list[float] = []

    def writer() -> None:
        for number in range(4):
            box.put(number)
            times.append(now())

    def reader() -> None:
        for _ in range(4):
            delay(1)
            box.get()

    kernel.spawn(writer)
    kernel.spawn(reader)
    kernel.run()
    assert times == [0.0, 0.0, 1.0, 2.0]
    full: Mailbox[int] = Mailbox(Kernel(), "full", capacity=1)
    assert full.offer(1)
    assert not full.offer(2)
    with pytest.raises(KernelError, match="mailbox 'full' is full: 1 of 1 messages"):
        full.put(2)


def test_get_returns_none_after_the_timeout() -> None:
    kernel = Kernel()
    box: Mailbox[int] = Mailbox(kernel, "box")
    process = kernel.spawn(lambda: (box.get(timeout=0.5), now(), box.poll()), name="reader")
    kernel.run()
    assert process.result == (None, 0.5, None)


def test_none_is_a_message_too() -> None:
    kernel = Kernel()
    box: Mailbox[None] = Mailbox(kernel, "box")
    box.put(None)
    assert len(box) == 1
    process = kernel.spawn(box.get)
    kernel.run()
    assert process.result is None
    assert len(box) == 0


def test_capacity_below_one_is_refused() -> None:
    with pytest.raises(KernelError, match="mailbox 'b' has capacity 0"):
        Mailbox(Kernel(), "b", capacity=0)


def test_a_deadlock_names_the_mailbox() -> None:
    kernel = Kernel()
    box: Mailbox[int] = Mailbox(kernel, "orders")
    kernel.spawn(box.get, name="reader")
    outcome = kernel.run()
    assert outcome.ending == "deadlock"
    assert outcome.blocked[0].waits_for == "a message in orders"


def test_flags_are_waited_for_singly_or_together_and_cleared_in_the_same_step() -> None:
    kernel = Kernel()
    flags = EventFlags(kernel, "events")
    log: list[tuple[str, int, float]] = []

    def waiting() -> None:
        log.append(("any", flags.wait(0b011), now()))
        log.append(("all", flags.wait(0b110, all_of=True, clear=True), now()))
        log.append(("left", flags.value, now()))
        log.append(("none", flags.wait(0b100, timeout=0.5), now()))

    def setting() -> None:
        for bit in (0b001, 0b010, 0b100):
            delay(1)
            flags.set(bit)
        flags.clear(0b001)

    kernel.spawn(waiting)
    kernel.spawn(setting)
    kernel.run()
    assert log == [("any", 0b001, 1.0), ("all", 0b110, 3.0), ("left", 0, 3.0), ("none", 0, 3.5)]


def test_one_setting_serves_one_program_when_it_clears() -> None:
    kernel = Kernel()
    flags = EventFlags(kernel, "go")
    served: list[str] = []

    def waiting(name: str) -> None:
        if flags.wait(1, clear=True, timeout=5):
            served.append(name)

    for name in ("a", "b"):
        kernel.spawn(waiting, name)
    kernel.at(1_000_000, lambda: flags.set(1))
    kernel.run()
    assert served == ["a"]


@pytest.mark.parametrize("mask", [-1])
def test_masks_are_not_negative(mask: int) -> None:
    with pytest.raises(KernelError, match="event flags 'f' got the mask -1"):
        EventFlags(Kernel(), "f").set(mask)
