"""The wire: packed messages are unpacked however the stream is cut, and invalid data is refused."""

import contextlib
import json

import pytest
from hypothesis import given, settings, strategies as st

from drycell.studio.host.wire import MOST_BYTES, MOST_LINE, Unpacker, WireError, WireMessage, packed

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)
HEADS = st.dictionaries(st.text().filter(lambda key: key != "bytes"), VALUES)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(HEADS, st.binary(max_size=200)), max_size=5), st.lists(st.integers(1, 64), max_size=20))
def test_messages_come_out_as_they_went_in_however_they_are_cut(
    messages: list[tuple[dict[str, object], bytes]], cuts: list[int]
) -> None:
    data = b"".join(packed(head, payload) for head, payload in messages)
    unpacker, found = Unpacker(), []
    for size in cuts:
        found += list(unpacker.feed(data[:size]))
        data = data[size:]
    found += list(unpacker.feed(data))
    wanted = [WireMessage(json.loads(json.dumps(head)), payload) for head, payload in messages]
    assert [each.payload for each in found] == [each.payload for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert _comparable(one.head) == _comparable(other.head)


def _comparable(head: dict[str, object]) -> str:
    # A text with half a surrogate cannot go over the wire as it is: it goes as its escape.
    return json.dumps(head, ensure_ascii=False).encode("utf-8", "backslashreplace").decode().replace("\\\\u", "\\u")


@given(st.binary(max_size=500), st.lists(st.integers(1, 50), max_size=10))
def test_garbage_is_refused_or_waited_for_and_never_anything_else(data: bytes, cuts: list[int]) -> None:
    unpacker = Unpacker()
    with contextlib.suppress(WireError):
        for size in [*cuts, len(data)]:
            for message in unpacker.feed(data[:size]):
                assert isinstance(message.head, dict)
            data = data[size:]


@given(VALUES | st.integers(min_value=MOST_BYTES + 1) | st.integers(max_value=-1))
def test_an_invalid_number_of_bytes_is_refused(claimed: object) -> None:
    line = json.dumps({"id": 1, "bytes": claimed}).encode() + b"\n"
    if type(claimed) is int and 0 <= claimed <= MOST_BYTES:
        list(Unpacker().feed(line))
        return
    with pytest.raises(WireError, match="claims to have"):
        list(Unpacker().feed(line))


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    unpacker, piece = Unpacker(), b"x" * (1 << 20)
    for _ in range(MOST_LINE >> 20):
        assert list(unpacker.feed(piece)) == []
    with pytest.raises(WireError, match="a line of more than"):
        list(unpacker.feed(piece))


@pytest.mark.parametrize("line", [b"[1]\n", b"1\n", b"null\n", b"\n", b"{\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
def test_a_line_that_is_not_an_object_is_refused(line: bytes) -> None:
    with pytest.raises(WireError):
        list(Unpacker().feed(line))


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(WireError, match="too long"):
        packed({"text": "x" * MOST_LINE})
