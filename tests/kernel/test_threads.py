"""A kernel runs on one thread: what other threads and Ctrl-C may and may not do."""

import signal
import threading
from collections.abc import Callable

import pytest

from drycell.base import KernelError
from drycell.kernel import Event, Kernel, Rank, delay, wait


def test_a_post_happens_on_the_run_s_thread_at_an_event_boundary_and_is_journalled() -> None:
    kernel = Kernel()
    button = kernel.signal("button", False)
    threads: list[int] = []

    def click() -> None:
        threads.append(threading.get_ident())
        button.set(True)

    def program() -> None:
        delay(2)
        other = threading.Thread(target=kernel.post, args=(click, "button pressed"))
        other.start()
        other.join()
        assert not button  # not in the middle of a step
        assert wait(button, timeout=1)

    kernel.spawn(program)
    kernel.run()
    assert threads == [threading.get_ident()]
    assert button.history[1:] == [(2_000_000, True, "outside")]
    assert [(r.time, dict(r.fields)) for r in kernel.journal.records if r.kind == "post"] == [
        (2_000_000, {"note": "button pressed"})
    ]


def test_an_interactive_run_is_replayed_with_its_posts() -> None:
    def build(kernel: Kernel) -> Callable[[], None]:
        count = kernel.signal("count", 0)

        def program(name: str) -> None:
            for _ in range(12):
                wait(count.changes(), timeout=0.5)
                kernel.journal.write("sees", name, count=count.value)

        for name in ("a", "b"):
            kernel.spawn(program, name)
        return lambda: count.set(count.value + 1)

    live = Kernel()
    action = build(live)
    for time in (0, 700_000, 1_000_000):
        live.at(time, lambda: [live.post(action, "click") for _ in range(2)], Rank.MOTION, owner="hand")
    live.run()
    posts = [record.time for record in live.journal.records if record.kind == "post"]
    assert posts == [0, 0, 700_000, 700_000, 1_000_000, 1_000_000]

    replay = Kernel()
    again = build(replay)
    for time in posts:
        replay.at(
            time,
            lambda: (replay.journal.write("post", "outside", note="click"), again()),
            Rank.OUTSIDE,
            owner="outside",
        )
    replay.run()
    assert replay.journal.json_lines() == live.journal.json_lines()


def test_using_a_running_kernel_from_another_thread_is_refused() -> None:
    kernel = Kernel()
    lamp = kernel.signal("lamp", False)
    errors: list[str] = []

    def misuse() -> None:
        uses: list[Callable[[], object]] = [
            lambda: lamp.set(True),
            lambda: kernel.at(10, print),
            lambda: kernel.every(10, print),
            lambda: kernel.spawn(print),
        ]
        for use in uses:
            with pytest.raises(KernelError, match="another thread") as caught:
                use()
            errors.append(caught.value.hint or "")

    def program() -> None:
        thread = threading.Thread(target=misuse)
        thread.start()
        thread.join()

    kernel.spawn(program)
    kernel.run()
    assert len(errors) == 4
    assert all("post" in hint for hint in errors)
    assert lamp.value is False


def test_a_kernel_can_run_on_another_thread() -> None:
    kernel = Kernel()
    process = kernel.spawn(delay, 3.0, name="main")
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(kernel.run()))
    thread.start()
    thread.join()
    assert outcomes[0].time == 3_000_000
    assert not process.alive


def test_stop_from_another_thread_ends_a_run_at_an_event_boundary() -> None:
    kernel = Kernel()
    going = threading.Event()

    def program() -> None:
        while True:
            delay(1)
            going.set()

    kernel.spawn(program)
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(kernel.run()))
    thread.start()
    assert going.wait(60)
    kernel.stop("enough")
    thread.join(20)
    assert [(outcome.ending, outcome.reason) for outcome in outcomes] == [("stopped", "enough")]


def test_ctrl_c_ends_the_run_cleanly_with_the_results_so_far() -> None:
    kernel = Kernel()
    log: list[str] = []
    handler = signal.getsignal(signal.SIGINT)

    def program() -> None:
        try:
            delay(5)
            signal.raise_signal(signal.SIGINT)
            log.append("the step is finished")
            delay(5)
            log.append("not reached")
        finally:
            log.append("cleaned up")

    kernel.spawn(program)
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("interrupted", 5_000_000)
    assert log == ["the step is finished", "cleaned up"]
    assert signal.getsignal(signal.SIGINT) is handler
    assert kernel.journal.records[-1].fields["ending"] == "interrupted"


def test_a_second_ctrl_c_interrupts_a_program_that_never_blocks() -> None:
    kernel = Kernel()

    def program() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    kernel.spawn(program)
    with pytest.raises(KeyboardInterrupt):
        kernel.run()


def test_a_call_during_a_clean_up_of_the_queue_happens_once() -> None:
    kernel = Kernel()
    fired: list[int] = []

    class Calling(Event):
        """Stands for a thread that calls at the worst moment."""

        def __init__(self, place: int) -> None:
            self.place = place

        def is_live(self) -> bool:
            kernel.call_attention()
            return True

        def fire(self, time: int) -> None:
            fired.append(self.place)

    for place in range(400):
        kernel.schedule(1000 + place, 0, Calling(place))
    idle = [kernel.at(5_000, lambda: None) for _ in range(500)]
    for each in idle:
        each.cancel()  # the queue is rebuilt when most of it is cancelled
    kernel.run()
    assert fired == list(range(400))
