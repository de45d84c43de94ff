"""Both framings: what is sent comes out again, and what is no message is refused with its code."""

import struct
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given, strategies as st

from drycell.effector.link import binary, text
from drycell.effector.link.framing import Decoder, GreetedDecoder, encode, token_line
from drycell.effector.messages import LAST_SEQUENCE, Code, Malformed, Message, Refusal

letters = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=5, max_size=5)
reals = st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 6)
numbers = st.none() | st.integers(0, LAST_SEQUENCE)
messages = st.builds(Message.of, letters, reals, numbers)
refusals = st.builds(Refusal, st.sampled_from(Code), st.text(max_size=400), numbers)
framings = st.sampled_from(["text", "binary"])


@given(messages, framings)
def test_any_message_comes_out_as_it_went_in(message, framing):
    assert Decoder().feed(encode(message, framing)) == [message]


@given(messages)
def test_a_line_and_a_record_are_never_longer_than_they_may_be(message):
    assert len(text.encode(message)) <= text.LONGEST
    assert len(binary.encode(message)) == binary.SIZE


@given(refusals, framings)
def test_any_refusal_comes_out_with_its_code_and_number_whatever_its_text(refusal, framing):
    data = encode(refusal, framing)
    assert len(data) <= text.LONGEST
    (found,) = Decoder().feed(data)
    assert isinstance(found, Refusal)
    assert (found.code, found.sequence) == (refusal.code, refusal.sequence)


@given(st.lists(messages, min_size=1, max_size=8), framings, st.lists(st.integers(0, 600), max_size=20))
def test_messages_come_out_in_order_however_the_bytes_are_cut(sent, framing, cuts):
    data = b"".join(encode(message, framing) for message in sent)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for decoder in (Decoder(), GreetedDecoder()):
        found = [each for start, end in pairwise(places) for each in decoder.feed(data[start:end])]
        assert found == sent
        assert not decoder.partial


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"", Code.VERSION, None),
        (b"hello", Code.VERSION, None),
        (b"DRY2 PGSTA 1 0 0 0 0 0 0", Code.VERSION, None),
        (b"DRY1 PGSTA 1 0 0 0 0 0", Code.SHAPE, 1),
        (b"DRY1 PGSTA 1 0 0 0 0 0 0 0", Code.SHAPE, 1),
        (b"DRY1  PGSTA 1 0 0 0 0 0 0", Code.SEQUENCE, None),
        (b"DRY1", Code.SHAPE, None),
        (b"DRY1 PGST 1 0 0 0 0 0 0", Code.CHARACTERS, 1),
        (b"DRY1 pgsta 1 0 0 0 0 0 0", Code.CHARACTERS, 1),
        (b"DRY1 PGSTA x 0 0 0 0 0 0", Code.SEQUENCE, None),
        (b"DRY1 PGSTA -1 0 0 0 0 0 0", Code.SEQUENCE, None),
        (b"DRY1 PGSTA 4294967296 0 0 0 0 0 0", Code.SEQUENCE, None),
        (b"DRY1 PGSTA 1 nan 0 0 0 0 0", Code.REAL, 1),
        (b"DRY1 PGSTA 1 0 0 0 0 0 -Infinity", Code.REAL, 1),
        (b"DRY1 PGSTA 1 1e999 0 0 0 0 0", Code.REAL, 1),
        (b"DRY1 PGSTA 1 1_0 0 0 0 0 0", Code.REAL, 1),
        (b"DRY1 PGSTA 1 0x10 0 0 0 0 0", Code.REAL, 1),
        (b"DRY1 PGSTA 1 0,5 0 0 0 0 0", Code.REAL, 1),
        (b"DRY1 PG\xc3\x96ST 1 0 0 0 0 0 0", Code.ASCII, None),
        (b"DRY1 PGSTA\t1 0 0 0 0 0 0", Code.ASCII, None),
        (b"DRY1 PGSTA 1 0 0 0 0 0 " + b"0" * 300, Code.LONG, None),
        (b"DRY1 ! WHAT 1 text", Code.COMMAND, None),
    ],
)
def test_a_line_that_is_no_message_is_refused_and_the_next_is_not(line, code, number):
    bad, good = text.TextDecoder().feed(line + b"\nDRY1 PGSTA 9 0 0 0 0 0 0\r\n")
    assert isinstance(bad, Malformed)
    assert (bad.refusal.code, bad.refusal.sequence) == (code, number)
    assert good == Message.of("PGSTA", sequence=9)


def test_a_line_without_end_is_refused_once_and_kept_nowhere():
    decoder = text.TextDecoder()
    found = [each for _ in range(1000) for each in decoder.feed(b"A" * 10_000)]
    assert [each.refusal.code for each in found] == [Code.LONG]
    assert decoder.feed(b"still that line\nDRY1 PGSTA 9 0 0 0 0 0 0\n") == [Message.of("PGSTA", sequence=9)]
    assert not decoder.partial


def record(**changes) -> bytes:
    fields = {"magic": binary.MAGIC, "version": 1, "flags": 1, "name": b"PGSTA", "zero": 0, "number": 7} | changes
    values = fields.pop("reals", (0.0,) * 6)
    head = struct.pack("<4sBB5sBI", *fields.values())
    body = head + struct.pack("<6d", *values)
    return body + struct.pack("<I", crc32(body))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (record(version=2), Code.VERSION),
        (record(flags=9), Code.SHAPE),
        (record(zero=1), Code.SHAPE),
        (record(flags=0), Code.SHAPE),
        (record(name=b"PG\0TA"), Code.CHARACTERS),
        (record(name=b"PG\xffTA"), Code.CHARACTERS),
        (record(reals=(float("nan"),) * 6), Code.REAL),
        (record(reals=(float("inf"),) * 6), Code.REAL),
        (record()[:-1] + b"\0", Code.CHECKSUM),
        (record()[:40], Code.CHECKSUM),
        (record(flags=3, name=b"WHAT\0"), Code.COMMAND),
        (b"\xdcnot a record, whatever it is", Code.SHAPE),
    ],
)
def test_a_record_that_is_no_message_is_refused_and_the_next_is_not(data, code):
    bad, good = binary.BinaryDecoder().feed(data + record())
    assert isinstance(bad, Malformed)
    assert bad.refusal.code is code
    assert good == Message.of("PGSTA", sequence=7)


def test_the_record_of_the_documentation_is_the_record_that_is_sent():
    assert binary.encode(Message.of("PGSTA", sequence=7)) == record()


def test_bytes_that_are_no_record_are_refused_once_and_kept_nowhere():
    decoder = binary.BinaryDecoder()
    found = [each for _ in range(1000) for each in decoder.feed(b"\xdcD" * 2000)]
    assert [each.refusal.code for each in found] == [Code.SHAPE]
    assert decoder.feed(record()) == [Message.of("PGSTA", sequence=7)]


@pytest.mark.parametrize("framing", ["text", "binary"])
def test_a_token_may_come_before_either_framing(framing):
    message = Message.of("PGSTA", sequence=7)
    data = token_line("0123456789abcdef") + encode(message, framing)
    decoder = GreetedDecoder()
    assert [each for byte in data for each in decoder.feed(bytes([byte]))] == [message]
    assert decoder.token == b"0123456789abcdef"


def test_the_first_line_of_a_browser_is_known():
    decoder = GreetedDecoder()
    decoder.feed(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nDRY1 PGMOV 1 0 0 0 0 0 0\r\n")
    assert decoder.browser
