"""The framing: a message arrives as it was sent, and anything else is refused with its code."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from drycell.effector.link.framing import LONGEST, GreetedDecoder, TextDecoder, encode, token_line
from drycell.effector.messages import LAST_SEQUENCE, Code, Malformed, Message, Refusal

letters = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=5, max_size=5)
reals = st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 6)
numbers = st.none() | st.integers(0, LAST_SEQUENCE)
messages = st.builds(Message.of, letters, reals, numbers)
refusals = st.builds(Refusal, st.sampled_from(Code), st.text(max_size=400), numbers)


@given(messages)
def test_any_message_comes_out_as_it_went_in(message):
    assert TextDecoder().feed(encode(message)) == [message]


@given(messages)
def test_a_line_is_never_longer_than_it_may_be(message):
    assert len(encode(message)) <= LONGEST


@given(refusals)
def test_any_refusal_comes_out_with_its_code_and_number_whatever_its_text(refusal):
    data = encode(refusal)
    assert len(data) <= LONGEST
    (found,) = TextDecoder().feed(data)
    assert isinstance(found, Refusal)
    assert (found.code, found.sequence) == (refusal.code, refusal.sequence)


@given(st.lists(messages, min_size=1, max_size=8), st.lists(st.integers(0, 600), max_size=20))
def test_messages_come_out_in_order_however_the_bytes_are_cut(sent, cuts):
    data = b"".join(encode(message) for message in sent)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for decoder in (TextDecoder(), GreetedDecoder()):
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
def test_a_line_that_is_not_a_message_is_refused_and_the_next_is_not(line, code, number):
    bad, good = TextDecoder().feed(line + b"\nDRY1 PGSTA 9 0 0 0 0 0 0\r\n")
    assert isinstance(bad, Malformed)
    assert (bad.refusal.code, bad.refusal.sequence) == (code, number)
    assert good == Message.of("PGSTA", sequence=9)


def test_a_line_without_end_is_refused_once_and_kept_nowhere():
    decoder = TextDecoder()
    found = [each for _ in range(1000) for each in decoder.feed(b"A" * 10_000)]
    assert [each.refusal.code for each in found] == [Code.LONG]
    assert decoder.feed(b"still that line\nDRY1 PGSTA 9 0 0 0 0 0 0\n") == [Message.of("PGSTA", sequence=9)]
    assert not decoder.partial


def test_a_token_may_come_first():
    message = Message.of("PGSTA", sequence=7)
    data = token_line("0123456789abcdef") + encode(message)
    decoder = GreetedDecoder()
    assert [each for byte in data for each in decoder.feed(bytes([byte]))] == [message]
    assert decoder.token == b"0123456789abcdef"


def test_the_first_line_of_a_browser_is_known():
    decoder = GreetedDecoder()
    decoder.feed(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nDRY1 PGMOV 1 0 0 0 0 0 0\r\n")
    assert decoder.browser
