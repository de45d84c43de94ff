"""The journal: records in chronological order, identical byte for byte, for people and for programs."""

import json
from enum import IntEnum
from hashlib import sha256

import numpy as np
import pytest

from drycell.base import KernelError
from drycell.kernel import Journal, JournalLine, Kernel, delay


def test_text_for_people_is_laid_out_in_columns() -> None:
    record = JournalLine(41_250_000, "move", "robot", {"to": "mill/fixture", "duration": 1.25})
    assert record.text() == "   41.250000  robot           move        to=mill/fixture  duration=1.250000"
    assert JournalLine(0, "start", "robot").text() == "    0.000000  robot           start"


def test_texts_with_special_characters_are_quoted() -> None:
    record = JournalLine(
        0, "post", "outside", {"note": 'door "A" open', "empty": "", "where": (1.0, -2.5), "none": None}
    )
    journal = Journal()
    journal.write("post", "outside", **dict(record.fields))
    text = journal.text()
    head, fields = text[:40], text[40:]
    assert head == "    0.000000  outside         post      "
    assert fields == '  note="door \\"A\\" open"  empty=""  where=(1.000000, -2.500000)  none=None\n'


def test_json_lines_are_flat_objects_with_time_in_seconds() -> None:
    kernel = Kernel()
    kernel.at(
        1_000_001, lambda: kernel.journal.write("collision", "arm/fore", with_body="tür", depth=0.1 + 0.2, ok=False)
    )
    kernel.run()
    line = kernel.journal.json_lines().splitlines()[0]
    assert line == (
        '{"t":1.000001,"kind":"collision","subject":"arm/fore","with_body":"t\\u00fcr","depth":0.3,"ok":false}'
    )
    assert json.loads(line)["t"] == 1.000001


def test_last_bits_never_reach_the_journal() -> None:
    class Mode(IntEnum):
        AUTO = 2

    journal = Journal()
    journal.write(
        "x", "y",
        time_s=1.0000004999, metres=1.0000000004, gap_mm=12.3456784, angle_deg=-0.0000004, zero=-1e-12,
        far=float("inf"), array=[np.float64(0.1) + 0.2, np.int64(3)], flag=np.bool_(True), mode=Mode.AUTO,
    )  # fmt: skip
    assert dict(journal.records[0].fields) == {
        "time_s": 1.0, "metres": 1.0, "gap_mm": 12.345678, "angle_deg": 0.0, "zero": 0.0,
        "far": "inf", "array": [0.3, 3], "flag": True, "mode": 2,
    }  # fmt: skip
    assert "-0.0" not in journal.json_lines()


def test_values_the_journal_cannot_keep_are_refused() -> None:
    with pytest.raises(KernelError, match=r"the journal cannot keep body=<object object"):
        Journal().write("x", "y", body=object())


def test_late_records_are_merged_in_chronological_order_after_those_of_the_instant() -> None:
    kernel = Kernel()
    journal = kernel.journal

    class Monitor:
        def settle(self, until: int) -> None:
            if until == 2_000_000:
                journal.late(1_500_000, "collision", "b")
                journal.late(1_000_000, "near", "z")
                journal.late(1_000_000, "near", "a")
                journal.late(1_000_000, "collision", "z")

    kernel.add_observer(Monitor())
    for time in (1_000_000, 2_000_000):
        kernel.at(time, lambda: (journal.write("zz", "first"), journal.write("aa", "second")))
    kernel.run()
    assert [(r.time, r.kind, r.subject) for r in journal.records] == [
        (1_000_000, "zz", "first"),
        (1_000_000, "aa", "second"),
        (1_000_000, "collision", "z"),
        (1_000_000, "near", "a"),
        (1_000_000, "near", "z"),
        (1_500_000, "collision", "b"),
        (2_000_000, "zz", "first"),
        (2_000_000, "aa", "second"),
        (2_000_000, "end", "run"),
    ]


def test_a_record_after_its_release_is_refused() -> None:
    kernel = Kernel()
    kernel.at(1_000_000, kernel.settle)
    kernel.at(2_000_000, lambda: kernel.journal.late(1_000_000, "fine", "x"))
    kernel.at(3_000_000, lambda: kernel.journal.late(999_999, "collision", "arm"))
    with pytest.raises(KernelError, match=r"collision of arm\) for 0\.999999 s came after .* up to 0\.999999 s"):
        kernel.run()


def test_a_sink_gets_every_record_in_order_and_the_journal_keeps_none() -> None:
    def run(journal: Journal) -> int:
        kernel = Kernel(journal=journal)
        most = 0

        class Monitor:
            done = 0

            def settle(self, until: int) -> None:
                nonlocal most
                most = max(most, len(journal.records))
                for time in range(self.done + 1, until // 1000 + 1):
                    journal.late(time * 1000, "seen", "monitor")
                self.done = until // 1000

        def program() -> None:
            for number in range(10_000):
                delay(0.001)
                journal.write("turn", "program", number=number)

        kernel.add_observer(Monitor())
        kernel.spawn(program)
        kernel.run()
        return most

    streamed: list[str] = []
    with_sink, in_memory = Journal(sink=lambda record: streamed.append(record.json())), Journal()
    assert run(with_sink) < 10_000 < run(in_memory)
    assert list(with_sink.records) == []
    assert streamed == in_memory.json_lines().splitlines()
    assert with_sink.sha256() == in_memory.sha256()


def test_a_sink_given_later_gets_what_was_released_before() -> None:
    kernel = Kernel()
    lines: list[str] = []
    kernel.journal.write("made", "cell")
    kernel.at(1_000_000, kernel.settle)
    kernel.at(2_000_000, lambda: kernel.journal.stream(lambda record: lines.append(record.kind)))
    kernel.at(3_000_000, lambda: kernel.journal.write("moved", "arm"))
    kernel.run()
    assert lines == ["made", "moved", "end"]
    assert list(kernel.journal.records) == []


def test_the_hash_is_that_of_the_json_lines() -> None:
    kernel = Kernel()
    kernel.spawn(delay, 1.0, name="main")
    before = kernel.journal.sha256()
    assert before == sha256(kernel.journal.json_lines().encode()).hexdigest()
    kernel.run()
    assert kernel.journal.sha256() == sha256(kernel.journal.json_lines().encode()).hexdigest() != before


def test_a_journal_serves_one_kernel() -> None:
    journal = Journal()
    Kernel(journal=journal)
    with pytest.raises(KernelError, match="already belongs to another kernel"):
        Kernel(journal=journal)
