"""Devices added by a file."""

import pytest

from drycell.base import FileError
from drycell.effector.messages import VOCABULARY, Code, Message, MessageRefused, file as vocabulary_file, print_table
from drycell.effector.messages.file import load_vocabulary


def example() -> str:
    """The file of the module's own text."""
    lines = (vocabulary_file.__doc__ or "").split("::\n", 1)[1].splitlines()
    return "\n".join(line[4:] for line in lines)


def load(tmp_path, text: str):
    (tmp_path / "devices.yaml").write_text(text)
    return load_vocabulary(tmp_path / "devices.yaml")


def test_a_device_of_a_file_is_checked_and_printed_like_all_others(tmp_path):
    vocabulary = load(tmp_path, example())
    lock = vocabulary.device("changer").command("LCK")
    assert vocabulary.check(Message("P", "C", "LCK", lock.pack(tool=3))) is lock
    with pytest.raises(MessageRefused) as error:
        vocabulary.check(Message("P", "C", "LCK", lock.pack(tool=9)))
    assert error.value.refusal.code is Code.LIMIT
    assert vocabulary.device("C").reply("FAI").real("reason").choices == {1: "no tool"}
    assert "`PCLCK` lock" in print_table(vocabulary)
    assert len(vocabulary.devices) == len(VOCABULARY.devices) + 1


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("letter: C", "letter: CC", "changer"),
        ("letter: C", "leter: C", "leter"),
        ("replies: [DON, FAI]", "replies: [DUN]", "DUN"),
        ("low: 1", "low: one", "low"),
        ("LCK:", "LOCK:", "LOCK"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(tmp_path, before, after, what):
    with pytest.raises(FileError, match=what) as error:
        load(tmp_path, example().replace(before, after))
    assert "devices.yaml" in str(error.value)
