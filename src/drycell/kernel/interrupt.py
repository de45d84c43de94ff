"""Ctrl-C ends a run cleanly: it sets a flag, and the run ends at its next event with the results so far."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupt_calls(action: Callable[[], None]) -> Iterator[None]:
    """Within it, Ctrl-C calls an action; the second one interrupts Python as usual, for a program that never blocks.

    Only the main thread can take signals; on any other nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        action()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
