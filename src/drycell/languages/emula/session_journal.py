"""The journal of a session: commands as typed and the responses, in the form of table 4 of the paper, and as JSON.

Times of day are cell time plus a declared start time. The wall clock is not used.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from drycell.base import FieldError, is_stream, text_beside
from drycell.kernel import clock_text

Kind = Literal["command", "response", "collision", "answer"]
START: Final = "10:00:00:000"  # as in table 4
_DAY: Final = 24 * 3600 * 1000  # milliseconds


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One line: its time in ticks of cell time, its kind and its text."""

    time: int
    kind: str
    text: str
    motors: Mapping[str, float] | None = None
    """For the end of a move: the motor values in metres and radians."""


class SessionJournal:
    """A journal that is written to two files when it is closed: ``path`` as text, ``path``.jsonl as data.

    To a device or a pipe, it is written as text only.
    """

    def __init__(self, path: Path, start: str = START) -> None:
        self.path = path
        self.entries: list[SessionLine] = []
        self._start = milliseconds(start)

    def open(self, now: int) -> None:
        """Write the opening line."""
        self.entries.append(SessionLine(now, "opened", f"***JOURNAL OPENED AT {self._clock(now)}***"))

    def note(self, now: int, text: str, kind: Kind) -> None:
        """Write a command or a response."""
        self.entries.append(SessionLine(now, kind, text))

    def moved(self, now: int, motors: Mapping[str, float]) -> None:
        """Write where a move has ended, to the data only: table 4 has no such lines."""
        self.entries.append(SessionLine(now, "moved", "", dict(motors)))

    def close(self, now: int) -> None:
        """Write the closing line, and both files."""
        self.entries.append(SessionLine(now, "closed", f"***JOURNAL CLOSED AT {self._clock(now)}***"))
        with text_beside(self.path) as file:
            file.write(self.text())
        if is_stream(self.path):  # /dev/null.jsonl would be an ordinary file in /dev
            return
        with text_beside(self.path.with_name(self.path.name + ".jsonl")) as file:
            file.write(self.json_lines())

    def text(self) -> str:
        """The journal as in table 4."""
        return "".join(entry.text + "\n" for entry in self.entries if entry.motors is None)

    def json_lines(self) -> str:
        """The journal as one JSON object per line: ``t`` in seconds of cell time, the time of day, kind and text.

        The end of a move has the motor values, in metres and radians, instead of a text.
        """
        return "".join(
            f'{{"t":{clock_text(entry.time)},"clock":"{self._clock(entry.time)}",'
            f'"kind":{json.dumps(entry.kind)},{_content(entry)}}}\n'
            for entry in self.entries
        )

    def _clock(self, now: int) -> str:
        return time_of_day(self._start + now // 1000)


def _content(entry: SessionLine) -> str:
    if entry.motors is None:
        return f'"text":{json.dumps(entry.text)}'
    motors = {name: round(value, 9) + 0.0 for name, value in entry.motors.items()}
    return f'"motors":{json.dumps(motors, separators=(",", ":"))}'


def milliseconds(text: str) -> int:
    """A time of day such as 10:00:00:000 in milliseconds since midnight."""
    found = re.fullmatch(r"(\d{1,2}):(\d{2}):(\d{2})(?:[:.](\d{1,3}))?", text.strip())
    if found is not None:
        hours, minutes, whole = (int(found[k]) for k in (1, 2, 3))
        if hours < 24 and minutes < 60 and whole < 60:
            return ((hours * 60 + minutes) * 60 + whole) * 1000 + int((found[4] or "0").ljust(3, "0"))
    raise FieldError(f"{text!r} is not a time of day", hint=f"write it as {START}")


def time_of_day(since_midnight: int) -> str:
    """Milliseconds since midnight as 10:00:00:000; it restarts every 24 hours."""
    rest, fraction = divmod(since_midnight % _DAY, 1000)
    minutes, second = divmod(rest, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}:{fraction:03}"
