"""The kernel against SimPy: events per second of blocking programs, and samples per second of sensor tickers.

Both run alternately in one process with the same periods. The best round of each counts, so that other load on the
machine does not matter.
"""

import gc
from collections.abc import Callable
from time import perf_counter
from typing import Final

from drycell.kernel import Kernel, delay

_ROUNDS: Final = 7
_PROGRAMS: Final = 10
_EVENTS: Final = 150_000
_TICKERS: Final = 1000
_TICKER_PERIOD: Final = 1000
_TICKS: Final = 200


def kernel_vs_simpy() -> float:
    """The ratio of events per second of ten programs that block in ``delay`` to ten SimPy generators."""
    # Periods between 1 and 2 ms, so that the order of the programs keeps changing.
    periods = [1000 + index * 37 % 991 for index in range(_PROGRAMS)]
    until = _EVENTS * sum(periods) // _PROGRAMS**2
    return _ratio(lambda: _programs(periods, until), lambda: _simpy_processes(periods, until))


def tickers_vs_simpy() -> float:
    """The ratio of samples per second of a thousand tickers with one period to a thousand SimPy processes."""
    until = _TICKER_PERIOD * _TICKS
    return _ratio(lambda: _tickers(until), lambda: _simpy_processes([_TICKER_PERIOD] * _TICKERS, until))


def _ratio(ours: Callable[[], float], theirs: Callable[[], float]) -> float:
    best_ours = best_theirs = 0.0
    for _ in range(_ROUNDS):
        for_ours = _rate(ours)
        for_theirs = _rate(theirs)
        best_ours, best_theirs = max(best_ours, for_ours), max(best_theirs, for_theirs)
    return best_ours / best_theirs


def _rate(subject: Callable[[], float]) -> float:
    gc.collect()  # neither pays for the garbage of the other
    return subject()


def _programs(periods: list[int], until: int) -> float:
    kernel = Kernel()
    count = 0

    def program(period: float) -> None:
        nonlocal count
        while True:
            delay(period)
            count += 1

    for period in periods:
        kernel.spawn(program, period / 1e6)
    start = perf_counter()
    kernel.run(until=until)
    return count / (perf_counter() - start)


def _tickers(until: int) -> float:
    kernel = Kernel()
    count = 0

    def sample() -> None:
        nonlocal count
        count += 1

    for _ in range(_TICKERS):
        kernel.every(_TICKER_PERIOD, sample)
    start = perf_counter()
    kernel.run(until=until)
    return count / (perf_counter() - start)


def _simpy_processes(periods: list[int], until: int) -> float:
    import simpy

    environment = simpy.Environment()
    count = 0

    def process(period: int):  # type: ignore[no-untyped-def]  # SimPy has no type for what its processes yield
        nonlocal count
        while True:
            yield environment.timeout(period)
            count += 1

    for period in periods:
        environment.process(process(period))
    start = perf_counter()
    environment.run(until)
    return count / (perf_counter() - start)
