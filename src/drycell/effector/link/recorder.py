"""All traffic of a link, written down as JSON lines and read again."""

import json
from pathlib import Path
from threading import Lock
from typing import Any, Self, get_args

from drycell.base import FileError
from drycell.effector.messages import Code, Message, MessageRefused, Refusal, Traffic
from drycell.effector.messages.traffic import Event


class Recorder:
    """Writes what it is called with, one line each, at once: a device that is killed leaves all but its last line.

    Give it to a server or to mailboxes as a watcher. It may be called from several threads.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            self._file = open(path, "w", encoding="utf-8", buffering=1, newline="\n")  # noqa: SIM115 — until close()
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise FileError(f"cannot write {path}: {why}", hint="give another path") from None
        self._lock = Lock()

    def __call__(self, seen: Traffic) -> None:
        """Write down one thing seen."""
        line = json.dumps(_plain(seen), ensure_ascii=False, allow_nan=False) + "\n"
        with self._lock:
            if not self._file.closed:
                self._file.write(line)

    def close(self) -> None:
        """End the file; what is seen later is not written."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_traffic(path: str | Path) -> list[Traffic]:
    """What a recorder wrote, without a last line that it did not come to end. Raises FileError for others."""
    found = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {error}", hint="is it a file that --record wrote?") from None
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            found.append(_traffic(json.loads(line)))
        except (ValueError, KeyError, TypeError, MessageRefused) as error:
            why = error.what if isinstance(error, MessageRefused) else repr(error)
            where = f"{path}, line {number}"
            raise FileError(f"no traffic: {why}", where=where, hint="is it a file that --record wrote?") from None
    return found


def _plain(seen: Traffic) -> dict[str, object]:
    line: dict[str, object] = {"time": round(seen.time, 6), "peer": seen.peer, "event": seen.event}
    message = seen.message
    if message is not None:
        if isinstance(message, Refusal):
            line |= {"code": message.code.value, "what": message.what}
        else:
            line |= {"message": message.characters, "reals": list(message.reals)}
        line["number"] = message.sequence
    if seen.text:
        line["text"] = seen.text
    return line


def _traffic(line: dict[str, Any]) -> Traffic:
    message: Message | Refusal | None = None
    if "message" in line:
        message = Message.of(line["message"], tuple(float(real) for real in line["reals"]), line["number"])
    elif "code" in line:
        message = Refusal(Code(line["code"]), str(line["what"]), line["number"])
    event: Event = line["event"]
    if event not in get_args(Event):
        raise ValueError(f"there is no event {event!r}")
    return Traffic(float(line["time"]), str(line["peer"]), event, message, str(line.get("text", "")))
