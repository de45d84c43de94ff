"""The log of waits: all of them, at any instant, and the run is the same with it as without."""

from drycell.kernel.wait_log import WaitLog

from drycell.kernel import Kernel, delay, wait


def _run(log: WaitLog | None) -> Kernel:
    kernel = Kernel()
    kernel.wait_log = log
    part = kernel.signal("part", False)

    def feeder() -> None:
        for pause in (2, 5, 1):
            delay(pause)
            part.set(True)
            delay(0.5)
            part.set(False)

    def taker() -> None:
        for _ in range(3):
            wait(part)
            wait(~part)

    kernel.spawn(feeder)
    kernel.spawn(taker)
    kernel.run()
    return kernel


def test_every_wait_is_logged_with_its_line() -> None:
    log = WaitLog()
    _run(log)
    waits = list(log.waits("taker", 10_000_000))
    assert [each.span for each in waits] == [2_000_000, 500_000, 5_000_000, 500_000, 1_000_000, 500_000]
    assert [each.condition for each in waits] == ["part", "~part"] * 3
    assert {each.at.line for each in waits[::2]} == {waits[0].at.line}
    assert waits[0].at.file == __file__


def test_what_a_program_waited_for_at_an_instant_is_known() -> None:
    log = WaitLog()
    _run(log)
    found = log.during("taker", 4_000_000)
    assert found is not None
    assert (found.end - found.span, found.end, found.condition) == (2_500_000, 7_500_000, "part")
    assert sum(1 for _ in log.waits("taker", 4_000_000)) == 2
    assert log.during("taker", 99_000_000) is None
    assert log.during("nobody", 0) is None


def test_a_logged_run_is_the_same_run() -> None:
    logged, plain = _run(WaitLog()), _run(None)
    assert logged.journal.sha256() == plain.journal.sha256()
    assert list(logged.waits()) == list(plain.waits())
