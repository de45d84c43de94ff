"""Where in the user's own code something happened."""

import os
import sysconfig
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Final, NamedTuple


class Location(NamedTuple):
    """A place in a source text."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"


# Where code lives that is not the user's: drycell itself, the standard library, installed packages.
_FOREIGN: Final = tuple(
    os.path.join(path, "")
    for path in (
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    )
)


@lru_cache(maxsize=1024)
def is_users(file: str) -> bool:
    """Whether a file holds the user's code; one without a name is drycell's own, as recordings have it."""
    return bool(file) and not file.startswith("<") and not os.path.abspath(file).startswith(_FOREIGN)


def of_stack(frame: FrameType | None) -> Location | None:
    """The user's innermost frame of a stack."""
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def of_traceback(traceback: TracebackType | None) -> Location | None:
    """The user's innermost frame of a traceback."""
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users(code.co_filename):
            found = Location(code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    return found
