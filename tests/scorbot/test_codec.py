"""Bytes are decoded into replies, in pieces of any size, and no input breaks, bloats or hangs the decoder."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, strategies as st

from drycell.base import ProgramError
from drycell.scorbot import AclSession, LineError, ReplyDecoder
from drycell.scorbot.acl import LONGEST_REPLY, command_bytes, listed_counts, listed_inputs


def replies(*pieces: bytes) -> list[tuple[str, ...]]:
    decoder = ReplyDecoder()
    found = []
    for piece in pieces:
        decoder.feed(piece)
        while (reply := decoder.take()) is not None:
            found.append(reply.lines)
    return found


def test_a_reply_is_what_stands_between_two_prompts() -> None:
    assert replies(b"SPEED 50\r\nDone.\r\n>") == [("SPEED 50", "Done.")]
    assert replies(b"\r\n>A\r\n>") == [(), ("A",)]
    assert replies(b"SHOW DIN\r\n1 -> 16:\r\n0 1\r\nDone.\r\n") == []


@given(st.lists(st.integers(0, 60), max_size=6))
def test_pieces_do_not_matter(cuts: list[int]) -> None:
    data = b"SHOW DIN\r\n1 -> 16:\r\n0 1 0 0\r\nDone.\r\n>LISTPV POSITION\r\n1: 5\r\n>"
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[one:two] for one, two in pairwise(places)]
    assert replies(*pieces) == replies(data)


def test_flow_control_and_bells_are_not_text_and_strange_bytes_are_counted() -> None:
    decoder = ReplyDecoder()
    decoder.feed(b"\x11Do\x13ne.\x07\r\n>D\xf1ne.\r\n>")
    assert (first := decoder.take()) is not None
    assert first.lines == ("Done.",)
    assert first.invalid == 0
    assert (second := decoder.take()) is not None
    assert second.invalid == 1


def test_data_without_a_prompt_is_not_kept_indefinitely() -> None:
    decoder = ReplyDecoder()
    for _ in range(100):
        decoder.feed(b"x" * 1000)
    assert decoder.overfull
    assert len(decoder.pending) == LONGEST_REPLY


@pytest.mark.parametrize("command", ["A\rCOFF", "SPEED 5\u00b2", "X" * 80, "A\x01"])
def test_only_one_plain_line_can_be_sent(command: str) -> None:
    with pytest.raises(ProgramError, match="cannot be sent to a controller"):
        command_bytes(command)


def test_lists_are_read_as_controllers_print_them() -> None:
    lines = ("1: 2441    2: 2153    3:-10311   4:-14394   5: 189", "X: 5007    Y: 483     Z: 1351    P:-859     R:-184")
    assert listed_counts(lines, 5) == (2441, 2153, -10311, -14394, 189)
    assert listed_counts(lines[1:], 5) is None
    assert listed_counts(("1: 1 1: 2 2: 3",), 2) is None
    assert listed_inputs(("1 -> 4:", "0 1 1 0")) == (False, True, True, False)
    assert listed_inputs(("1 -> 4: 0 1 1 0",)) == (False, True, True, False)
    assert listed_inputs(("1->4:", "0110")) == (False, True, True, False)
    for wrong in ((), ("1 -> 4:",), ("1 -> 4:", "0 1 1"), ("1 -> 4:", "0 1 1 2"), ("2 -> 4:", "0 1 1")):
        assert listed_inputs(wrong) is None


class Noise:
    """A far end that sends meaningless bytes; each wait for more takes time on a separate clock."""

    name = "noise"

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces, self.time = pieces, 0.0

    def read(self, timeout: float) -> bytes:
        if self.pieces:
            return self.pieces.pop()
        self.time += timeout or 0.001
        return b""

    def write(self, data: bytes) -> None:
        pass

    def close(self) -> None:
        pass


def test_random_bytes_from_the_far_end_are_always_an_error_and_never_more() -> None:
    stream = Random(5)
    likely = [b">", b"\r\n>", b"Done.\r\n>", b"MOVE DRY\r\n", b"*** ", b"\x01", b"1:", b"\xff\xfe"]
    seen = set()
    for _ in range(20_000):
        pieces = [
            stream.choice(likely) if stream.random() < 0.4 else stream.randbytes(stream.randrange(1, 60))
            for _ in range(stream.randrange(6))
        ]
        if stream.random() < 0.7:
            pieces.append(b"")  # nothing before the command
        port = Noise(pieces)
        session = AclSession(port, timeout=1.0, clock=lambda port=port: port.time)
        try:
            session.ask("MOVE DRY")
        except LineError as error:
            seen.add(type(error).__name__)
            session.stop()
        assert port.time <= 3.2  # the timeout of the command, and 2 s for stopping
    assert seen == {"LineTimeout", "LineGarbage", "CommandRefused"}
