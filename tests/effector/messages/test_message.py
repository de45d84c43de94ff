"""The format of messages: what is valid and what is not."""

from math import inf, nan

import pytest

from drycell.effector.messages import (
    MEANING,
    Code,
    Message,
    MessageRefused,
    Tally,
    pack_proximity,
    refuse,
    unpack_proximity,
)


def test_five_characters_are_source_destination_and_command():
    message = Message.of("PGMOV", (0, 0.02, 0, 0, 0, 0), 17)
    assert (message.source, message.destination, message.command) == ("P", "G", "MOV")
    assert str(message) == "PGMOV 17 0 0.02 0 0 0 0"


def test_a_reply_goes_back_under_the_number_of_its_command():
    reply = Message.of("PGSTA", sequence=7).answer("STA", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (reply.characters, reply.sequence) == ("GPSTA", 7)


@pytest.mark.parametrize(
    ("characters", "reals", "sequence", "code"),
    [
        ("PGMO", (0.0,) * 6, None, Code.CHARACTERS),
        ("pgmov", (0.0,) * 6, None, Code.CHARACTERS),
        ("PGM\nV", (0.0,) * 6, None, Code.CHARACTERS),
        ("PGMÖV", (0.0,) * 6, None, Code.CHARACTERS),
        ("PGMOV", (0.0,) * 5, None, Code.SHAPE),
        ("PGMOV", (0.0,) * 7, None, Code.SHAPE),
        ("PGMOV", (nan, 0, 0, 0, 0, 0), None, Code.REAL),
        ("PGMOV", (0, 0, 0, 0, 0, -inf), None, Code.REAL),
        ("PGMOV", (0.0,) * 6, -1, Code.SEQUENCE),
        ("PGMOV", (0.0,) * 6, 2**32, Code.SEQUENCE),
        ("PGMOV", (0.0,) * 6, True, Code.SEQUENCE),
    ],
)
def test_an_invalid_message_is_refused_with_its_code(characters, reals, sequence, code):
    with pytest.raises(MessageRefused) as error:
        Message.of(characters, reals, sequence)
    assert error.value.refusal.code is code
    assert MEANING[code] in str(error.value)


def test_every_code_has_a_meaning_and_fits_five_characters():
    assert set(MEANING) == set(Code)
    assert all(len(code) <= 5 for code in Code)


def test_refusals_are_counted_by_code():
    tally = Tally()
    tally.served = 3
    for code in (Code.REAL, Code.LONG, Code.REAL):
        tally.count(refuse(code, "x").refusal)
    assert str(tally) == "3 served, 3 refused (1 LONG, 2 REAL)"


@pytest.mark.parametrize(
    ("left", "right", "packed"),
    [(0.0123, 0.0045, 123_045.0), (None, 0.0, 999_000.0), (None, None, 999_999.0), (5.0, -1.0, 999_000.0)],
)
def test_two_distances_are_packed_into_one_real(left, right, packed):
    assert pack_proximity(left, right) == packed


def test_two_distances_come_out_of_one_real_to_a_tenth_of_a_millimetre():
    assert unpack_proximity(pack_proximity(0.01234, None)) == (0.0123, None)
