"""RANDOM follows its law, SOMETIME trips once in every move, and both are reproducible with the seed."""

from collections import Counter
from random import Random

import pytest

from drycell.base import ProgramError, inch
from drycell.kernel import Streams
from drycell.languages.emula import SensorCall, SensorGuard
from drycell.languages.emula.sensor_functions import LinearChance, Sometime

# The law of RANDOM (6, .1, .8): p_k = 0.1 + 0.14 (k − 1) up to the sixth cycle, 0.8 after.
LAW = (0.1, 0.24, 0.38, 0.52, 0.66, 0.8)


def trip(function, cycles: int) -> int:
    """The cycle in which a move of ``cycles`` cycles is stopped; 0 if it is not."""
    function.begin(cycles, True)
    for cycle in range(1, cycles + 1):
        if function.read(SensorCall(1, 10.0, 0.0, cycle, 0, None)).value >= 10.0:  # type: ignore[arg-type]
            return cycle
    return 0


def shares(n: int) -> list[float]:
    """The probabilities of a trip in cycle 1, 2, … n, and after that, worked out from the law."""
    left, found = 1.0, []
    for k in range(n):
        p = LAW[min(k, 5)]
        found.append(left * p)
        left *= 1 - p
    return [*found, left]


def test_the_law_is_linear_up_to_n_and_constant_after() -> None:
    function = LinearChance(Random, 6, 0.1, 0.8)
    assert [round(function.probability(k), 12) for k in range(1, 9)] == [*LAW, 0.8, 0.8]
    assert LinearChance(Random, 1, 0.3, 0.7).probability(1) == 0.7


def test_ten_thousand_seeded_runs_pass_a_chi_square_test_at_one_per_cent() -> None:
    found: Counter[int] = Counter()
    for seed in range(10_000):
        stream = Streams(seed).of("sensor 1")  # as created by the kernel of a run with that seed
        found[trip(LinearChance(lambda stream=stream: stream, 6, 0.1, 0.8), 25)] += 1
    expected = [10_000 * share for share in shares(6)]
    counts = [*(found[k] for k in range(1, 7)), sum(n for k, n in found.items() if k > 6 or k == 0)]
    statistic = sum((n - e) ** 2 / e for n, e in zip(counts, expected, strict=True))
    assert sum(counts) == 10_000
    assert statistic < 16.812  # the 99 % point of chi-square with 6 degrees of freedom
    # In full: a tenth of all runs trip in the first cycle, 0.9 · 0.24 of them in the second, …
    assert expected[:3] == pytest.approx([1000, 2160, 2599.2])


def test_a_run_trips_where_its_random_stream_says(start) -> None:
    for seed in range(12):
        session = start(seed=seed, model="hand")
        reports = []

        def program(session=session, reports=reports) -> None:
            session.emulation.attach(1, "random", [6, 0.1, 0.8])
            for _ in range(3):
                report = session.emulation.move_by({"z": 4 * inch}, SensorGuard((1, 2), 10))
                reports.append((report.cycles, report.tripped))
                session.emulation.move_to({"z": 3 * inch})  # unguarded: draws no random number

        session.run(program)
        stream = Streams(seed).of("sensor 1")
        function = LinearChance(lambda stream=stream: stream, 6, 0.1, 0.8)
        wanted = [trip(function, 10) for _ in range(3)]
        assert reports == [(k or 10, 1 if k else None) for k in wanted]


def test_counting_restarts_with_each_guarded_move(start) -> None:
    """With (3, 0, 1) an event cannot come before the second cycle nor after the third."""
    session = start()
    cycles = []

    def program() -> None:
        session.emulation.attach(2, "random", [3, 0, 1])
        for _ in range(30):
            cycles.append(session.emulation.move_to({"z": 11 * inch}, SensorGuard((2,), 1)).cycles)
            session.emulation.move_to({"z": 3 * inch})

    session.run(program)
    assert set(cycles) == {2, 3}


def test_sometime_trips_once_in_each_guarded_move_all_cycles_alike() -> None:
    stream = Random(3)
    function = Sometime(lambda: stream)
    found = Counter(trip(function, 10) for _ in range(10_000))
    assert set(found) == set(range(1, 11))
    assert sum((n - 1000) ** 2 / 1000 for n in found.values()) < 21.666  # chi-square, 9 degrees of freedom, 99 %


def test_sometime_may_be_made_rarer() -> None:
    stream = Random(3)
    function = Sometime(lambda: stream, 0.25)
    assert sum(trip(function, 10) > 0 for _ in range(4000)) == pytest.approx(1000, abs=90)  # 3.3 standard deviations


def test_sometime_in_a_session(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "sometime")
        report = emulation.move_by({"z": 8 * inch}, SensorGuard((1,), 10))
        assert report.tripped == 1
        assert 1 <= report.cycles <= 20
        assert emulation.move_to({"z": 3 * inch}).tripped is None

    session.run(program)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([6, 0.1], "RANDOM takes three numbers, not 2"),
        ([0, 0.1, 0.8], "cannot rise over 0 cycles"),
        ([6.5, 0.1, 0.8], "a whole number of cycles, not 6.5"),
        ([6, 0.1, 1.8], "last probability of RANDOM is 1.8, which is not in 0..1"),
        ([6, "x", 0.8], "RANDOM needs a number, not 'x'"),
        ([10**400, 0.1, 0.8], "RANDOM needs a number"),
    ],
)
def test_mistakes_are_named(session, arguments, message) -> None:
    with pytest.raises(ProgramError, match=message):
        session.emulation.attach(1, "random", arguments)
    assert session.emulation.attached == {}
