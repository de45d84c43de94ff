"""The table: what it allows, and that a new device needs only an entry."""

import pytest

from drycell.base import FieldError, UnknownName
from drycell.effector.messages import (
    GRIPPER,
    VOCABULARY,
    Code,
    CommandEntry,
    DeviceTable,
    Message,
    MessageRefused,
    Real,
    ReplyEntry,
    Vocabulary,
    print_table,
)


def refused(message: Message, vocabulary: Vocabulary = VOCABULARY) -> Code:
    with pytest.raises(MessageRefused) as error:
        vocabulary.check(message)
    assert error.value.refusal.sequence == message.sequence
    return error.value.refusal.code


def test_every_entry_of_the_table_can_be_sent_with_reals_within_its_limits():
    for device in VOCABULARY.devices:
        for entry in (*device.commands, *device.replies):
            ends = ("P", device.letter) if isinstance(entry, CommandEntry) else (device.letter, "P")
            values = {real.name: next(iter(real.choices), max(real.low, 0)) for real in entry.reals}
            message = Message(*ends, entry.letters, entry.pack(**values), 1)
            assert VOCABULARY.check(message) is entry
            assert entry.unpack(message) == values


def test_every_command_is_queued_or_not_as_the_paper_has_it():
    handling = {command.letters: command.handling.value for command in GRIPPER.commands}
    assert {letters for letters, how in handling.items() if how == "queued"} == {"INI", "MOV"}
    assert {"QUI", "STA", "DBG", "ABT"} <= {letters for letters, how in handling.items() if how == "at once"}


def test_the_status_holds_what_the_paper_lists():
    names = [real.name for real in GRIPPER.reply("STA").reals]
    assert names == ["gap", "target", "position_gain", "rate_gain", "proximity", "crossfire"]


@pytest.mark.parametrize(
    ("characters", "reals", "code"),
    [
        ("PXMOV", (0,) * 6, Code.DEVICE),
        ("XGMOV", (0,) * 6, Code.DEVICE),
        ("PGQQQ", (0,) * 6, Code.COMMAND),
        ("PGDON", (0,) * 6, Code.WAY),
        ("GPMOV", (0,) * 6, Code.WAY),
        ("FGSTA", (0,) * 6, Code.WAY),
        ("PPSTA", (0,) * 6, Code.WAY),
        ("PGMOV", (9, 0, 0, 0, 0, 0), Code.LIMIT),
        ("PGMOV", (0.5, 0, 0, 0, 0, 0), Code.LIMIT),
        ("PGMOV", (0, -0.01, 0, 0, 0, 0), Code.LIMIT),
        ("PGMOV", (0, 0, 0, 1.5, 0, 0), Code.LIMIT),
        ("PGSTA", (0, 0, 0, 0, 0, 1e-9), Code.SPARE),
    ],
)
def test_unknown_messages_are_refused_with_their_code(characters, reals, code):
    assert refused(Message.of(characters, tuple(map(float, reals)), 5)) is code


def test_a_refusal_names_the_real_its_value_and_its_limits():
    with pytest.raises(MessageRefused, match=r"real 2 of PGMOV: gap is 3 m, not between 0 and 1 m \(message 4\)"):
        VOCABULARY.check(Message.of("PGMOV", (0.0, 3.0, 0.0, 0.0, 0.0, 0.0), 4))


def test_a_new_device_is_an_entry_and_no_code():
    changer = DeviceTable(
        "C",
        "changer",
        "tool changer",
        commands=(
            CommandEntry("LCK", "lock", "locks", (Real("tool", "which", "", 1, 8, whole=True),), replies=("LCK",)),
        ),
        replies=(ReplyEntry("LCK", "locked", "it is locked"),),
    )
    vocabulary = VOCABULARY.with_device(changer)
    command = Message("P", "C", "LCK", changer.command("LCK").pack(tool=3))
    assert vocabulary.check(command).name == "lock"
    assert refused(Message("P", "C", "LCK"), vocabulary) is Code.LIMIT
    assert refused(command) is Code.DEVICE
    assert "`PCLCK` lock" in print_table(vocabulary)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (lambda: DeviceTable("C", "c", "c", (CommandEntry("LCK", "l", "l", replies=("QQQ",)),)), "reply of c"),
        (lambda: DeviceTable("C", "c", "c", (CommandEntry("LCK", "l", "l"),)), "never answers LCK"),
        (lambda: DeviceTable("C", "c", "c", replies=(ReplyEntry("A", "l", "l"),)), "1 . 1 . 3 characters"),
        (
            lambda: DeviceTable("C", "c", "c", replies=(ReplyEntry("AAA", "l", "l"),) * 2),
            "two entries for the reply AAA",
        ),
        (lambda: ReplyEntry("AAA", "l", "l", (Real("x", "x"),) * 2), "two reals with the same name"),
        (lambda: ReplyEntry("AAA", "l", "l", tuple(Real(f"x{n}", "x") for n in range(7))), "7 reals"),
        (lambda: VOCABULARY.with_device(GRIPPER) and Vocabulary([GRIPPER, GRIPPER]), "share the letter G"),
    ],
)
def test_a_table_that_contradicts_itself_is_reported(table, what):
    with pytest.raises((FieldError, UnknownName, MessageRefused), match=what):
        table()


def test_reals_are_given_by_name_and_a_wrong_name_is_reported_with_the_nearest():
    assert GRIPPER.command("MOV").pack(gap=0.02, force=5) == (0.0, 0.02, 0.0, 0.0, 5.0, 0.0)
    with pytest.raises(UnknownName, match="gab"):
        GRIPPER.command("MOV").pack(gab=0.02)


def test_the_printed_table_has_every_message_and_every_refusal():
    text = print_table()
    for device in VOCABULARY.devices:
        assert all(f"`P{device.letter}{command.letters}`" in text for command in device.commands)
        assert all(f"`{device.letter}P{reply.letters}`" in text for reply in device.replies)
    assert all(f"| `{code}` |" in text for code in Code)
