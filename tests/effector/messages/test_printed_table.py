"""The page about messages agrees with the table."""

from pathlib import Path

import pytest

from drycell.effector.link.framing import decode, encode
from drycell.effector.messages import VOCABULARY, Message, MessageRefused, Refusal, print_table

PAGE = Path(__file__).parents[3] / "docs" / "messages.md"


def test_the_page_holds_the_printed_table():
    assert PAGE.read_text(encoding="utf-8").endswith(print_table()), "write print_table() below 'Who speaks' again"


def test_the_example_lines_of_the_page_are_what_is_sent():
    lines = PAGE.read_text(encoding="utf-8").split("```")[1].removeprefix("text\n").splitlines()
    command, reply, refusal = (decode(line.encode()) for line in lines)
    assert isinstance(command, Message)
    assert isinstance(reply, Message)
    VOCABULARY.check(command)
    VOCABULARY.check(reply)
    assert isinstance(refusal, Refusal)
    with pytest.raises(MessageRefused) as error:
        VOCABULARY.check(Message.of("PGMOV", (0.0, 3.0, 0.0, 0.0, 0.0, 0.0), 18))
    assert encode(error.value.refusal).decode() == lines[2] + "\n"
