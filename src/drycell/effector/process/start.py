"""Starts a device as a process of its own, for as long as the controlling program needs it.

Neither side outlives the other: the device ends, and removes its socket, when its standard input ends, which happens
however the program that started it does; and the program removes the socket of a device that was killed.
"""

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import IO, Final

from drycell.effector.link.fault import LinkError

READY: Final = "listens at "
"""What stands before the address in the line by which a device tells that it can be spoken to."""
STARTING: Final = 60.0
"""Seconds in which a device listens; loading everything takes one or two."""
_ENDING: Final = 10.0  # seconds it is given to end by itself
_PICTURE: Final = "picture at "


@dataclass(frozen=True)
class DeviceProcess:
    """A device that was started: where it listens, where its picture is (if there is one), and its process."""

    address: str
    picture: str | None
    process: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        """Whether it still runs; ``quit`` ends it."""
        return self.process.poll() is None


@contextmanager
def start_device(
    kind: str = "gripper",
    *,
    cell: str | Path | None = None,
    seed: int = 0,
    speed: float = 1.0,
    faults: str | None = None,
    record: str | Path | None = None,
    picture: bool = False,
    options: Sequence[str] = (),
    timeout: float = STARTING,
) -> Iterator[DeviceProcess]:
    """Within it, a device runs as a process and listens at ``.address``, on a Unix socket that only this user may use.

    ``kind``, ``cell`` and the rest are what ``drycell device`` takes; ``options`` are handed over as they are. What the
    device logs goes to this program's standard error. Raises LinkError when it does not listen in time.
    """
    words = [kind, "--seed", str(seed), "--speed", str(speed), "--tied"]
    for name, given in (("--cell", cell), ("--faults", faults), ("--record", record)):
        words += [] if given is None else [name, str(given)]
    words += ["--picture", "--no-browser"] if picture else []
    path = _place(kind)
    process = subprocess.Popen(
        [sys.executable, "-m", "drycell.cli.main", "device", *words, "--socket", str(path), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield _ready(process, kind, timeout)
    finally:
        _end(process)
        path.unlink(missing_ok=True)


def _place(kind: str) -> Path:
    """A path that nobody guesses, in no folder of its own: nothing is left when whoever made it is killed."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(folder) / f"drycell-{kind}-{token_hex(8)}"


def _ready(process: "subprocess.Popen[bytes]", kind: str, timeout: float) -> DeviceProcess:
    assert process.stdout is not None
    page = None
    for line in _lines(process.stdout, time.monotonic() + timeout):
        if _PICTURE in line:
            page = line.partition(_PICTURE)[2].split()[0]
        elif READY in line:
            return DeviceProcess(line.partition(READY)[2].split()[0].rstrip(",;"), page, process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)  # one that has closed its output is about to end
    code = process.poll()
    why = f"does not listen after {timeout:g} s" if code is None else f"ended with {code} before it listened"
    raise LinkError(f"the device {kind!r} {why}", hint="its standard error tells why; drycell device shows it, too")


def _lines(output: IO[bytes], end: float) -> Iterator[str]:
    """The lines that a process prints until a time, or until it is gone."""
    pending = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([output], [], [], left)[0]:
            return
        data = os.read(output.fileno(), 4096)
        if not data:
            return
        *whole, pending = (pending + data).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a device: it notices that its standard input has ended. What does not notice is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        process.stdout.close()
