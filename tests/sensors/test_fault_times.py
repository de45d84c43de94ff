"""When faults are active: at a time, for a while, repeatedly at random, for a share of writes."""

import math
from random import Random

import pytest

from drycell import Cell, delay, minute, s, wait
from drycell.kernel import Kernel, Signal, seconds
from drycell.sensors import Fault
from drycell.sensors.faults import Disturbance, Dropout, Late, Spike, Stuck, StuckOff, StuckOn, Swapped
from drycell.sensors.faults.disturbance import Hits


def report(kernel: Kernel) -> list[tuple[float, str, dict[str, object]]]:
    """The journal's records of faults."""
    return [
        (seconds(each.time), each.subject, dict(each.fields)) for each in kernel.journal.records if each.kind == "fault"
    ]


def windows(kernel: Kernel) -> list[tuple[float, float]]:
    """The intervals in which a fault was active."""
    times = [(time, fields["state"]) for time, _, fields in report(kernel)]
    assert [state for _, state in times] == ["begins", "ends"] * (len(times) // 2)
    return [(times[n][0], times[n + 1][0]) for n in range(0, len(times), 2)]


def hits_of(share: float, seed: int) -> Hits:
    stream = Random(seed)
    return Hits(share, lambda: stream)


def test_begin_and_end_are_reported_before_what_they_change():
    cell = Cell()
    cell.signal("eye", False)
    cell.fault("eye", "stuck_on", at=1.5, until=2.25)
    cell.run(until=5)
    assert cell.kernel.journal.text() == (
        "    1.500000  eye             fault       fault=stuck_on  state=begins\n"
        "    1.500000  eye             signal      value=True  writer=eye/stuck_on\n"
        "    2.250000  eye             fault       fault=stuck_on  state=ends\n"
        "    2.250000  eye             signal      value=False  writer=eye/stuck_on\n"
        "    5.000000  run             end         ending=until\n"
    )


def test_a_fault_is_active_from_its_start_until_just_before_its_end():
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    Disturbance(eye, StuckOff(at=1 * s, until=2 * s))
    kernel.at(1_000_000, lambda: eye.set(True), owner="device", writes=(eye,))
    seen: list[tuple[float, bool]] = []
    for time in (1_000_000, 1_999_999, 2_000_000):
        kernel.at(time, lambda: seen.append((seconds(kernel.now), eye.peek())), owner="look", writes=())
    kernel.run(until=3_000_000)
    assert seen == [(1.0, False), (1.999999, False), (2.0, True)]


def test_before_the_run_a_fault_without_a_time_waits_for_its_start():
    cell = Cell()
    eye = cell.signal("eye", False)
    cell.fault(eye, "stuck_on")
    assert eye.value is False
    cell.run(until=1)
    assert eye.value is True


def test_in_the_run_a_fault_without_a_time_begins_at_once_and_can_be_ended():
    cell = Cell()
    eye = cell.signal("eye", False)

    @cell.program
    def test() -> None:
        delay(1)
        fault = cell.fault(eye, "stuck_on")
        assert eye.value is True
        delay(1)
        fault.end()
        assert eye.value is False
        cell.fault(eye, "stuck_on", at=4 * s).end()  # never came
        delay(5)

    cell.run()
    assert windows(cell.kernel) == [(1.0, 2.0)]


def test_a_rate_is_exponential_from_the_end_of_one_to_the_beginning_of_the_next():
    kernel = Kernel(seed=5)
    eye = kernel.signal("eye", False)
    Disturbance(eye, StuckOn(rate=6 / minute, lasting=2 * s))
    kernel.run(until=round(2e6) * 3600)
    found = windows(kernel)
    stream = Kernel(seed=5).random("fault eye/stuck_on")
    end = 0.0
    for begin, ended in found[:50]:
        assert begin == pytest.approx(end + stream.expovariate(0.1), abs=1e-6)
        assert ended == pytest.approx(begin + 2.0)
        end = ended
    gaps = [begin - before[1] for before, (begin, _) in zip([(0.0, 0.0), *found], found, strict=False)]
    assert len(gaps) > 500
    assert sum(gaps) / len(gaps) == pytest.approx(10.0, rel=0.1)


def test_at_and_until_bound_a_rate_and_cut_what_is_in_force():
    kernel = Kernel(seed=1)
    eye = kernel.signal("eye", False)
    fault = Disturbance(eye, StuckOn(rate=1.0, lasting=5 * s, at=100 * s, until=112 * s))
    kernel.run(until=200_000_000)
    found = windows(kernel)
    assert found[0][0] > 100.0
    assert found[-1][1] == 112.0 or found[-1][1] == pytest.approx(found[-1][0] + 5.0)
    assert all(ended <= 112.0 for _, ended in found)
    assert fault.over
    assert eye.value is False


def test_a_share_strikes_by_geometric_gaps_and_one_write_each():
    kernel = Kernel(seed=2)
    level = kernel.signal("level", 0.0)
    Disturbance(level, Dropout(share=0.25, value=-1.0))
    for n in range(1, 101):
        level.set(float(n))
    stream, hits, at = Kernel(seed=2).random("fault level/dropout"), [], -1
    while at < 100:
        at += 1 + int(math.log(1.0 - stream.random()) / math.log1p(-0.25))
        hits.append(at)
    expected = [n for n in hits if n < 100]
    assert [fields["write"] for _, _, fields in report(kernel)] == expected
    shown = [value for _, value, _ in level.history]
    assert shown.count(-1.0) == sum(n - 1 not in expected for n in expected)  # consecutive occurrences change nothing
    assert [value for value in shown[1:] if value > 0] == [n + 1.0 for n in range(100) if n not in expected]


@pytest.mark.parametrize("share", [0.005, 0.1, 0.5, 0.9])
def test_the_share_determines_how_many_samples_are_struck(share):
    hits = hits_of(share, 7)
    count, total = sum(hits.strikes(n) for n in range(100_000)), 100_000
    assert abs(count - share * total) < 4 * math.sqrt(total * share * (1 - share))


def test_shares_of_0_and_1_strike_none_and_all():
    none, every = (hits_of(share, 0) for share in (0.0, 1.0))
    assert not any(none.strikes(n) for n in range(1000))
    assert all(every.strikes(n) for n in range(1000))
    assert none.next_edge(1000) is None
    assert every.next_edge(1000) == 1001


def test_asking_ahead_or_skipping_does_not_shift_what_is_struck():
    plain = hits_of(0.2, 3)
    expected = [n for n in range(1000) if plain.strikes(n)]
    skipping = hits_of(0.2, 3)
    found, n = [], 0
    while n < 1000:
        if skipping.strikes(n):
            found.append(n)
        n = skipping.next_edge(n) or 1000
    assert found == expected


def test_a_stuck_share_shows_the_value_of_the_write_before():
    kernel = Kernel(seed=4)
    count = kernel.signal("count", 0)
    Disturbance(count, Stuck(share=0.4))
    for n in range(1, 60):
        count.set(n)
    struck = {fields["write"] for _, _, fields in report(kernel)}
    shown = dict.fromkeys(range(59), 0)
    last = 0
    for n in range(59):
        last = last if n in struck else n + 1
        shown[n] = last
    assert [value for _, value, _ in count.history] == list(dict.fromkeys([0, *shown.values()]))


def test_a_share_within_bounds_strikes_only_there_and_its_end_shows_the_truth():
    kernel = Kernel(seed=0)
    count = kernel.signal("count", 0)
    Disturbance(count, Dropout(share=1.0, value=-1, at=2 * s, until=4.5 * s))

    def writer() -> None:
        for n in range(1, 7):
            delay(1)
            count.set(n)

    kernel.spawn(writer)
    kernel.run()
    assert [(seconds(time), value) for time, value, _ in count.history] == [
        (0.0, 0), (1.0, 1), (2.0, -1), (4.5, 4), (5.0, 5), (6.0, 6),
    ]  # fmt: skip


# ---------------------------------------------------------------- several


def test_faults_of_one_signal_act_in_the_order_in_which_they_are_given():
    def shown(*faults: Fault) -> float:
        kernel = Kernel()
        level = kernel.signal("level", 1.0)
        for fault in faults:
            Disturbance(level, fault)
        kernel.spawn(lambda: [level.set(2.0), delay(1)])
        kernel.run()
        return level.peek()

    spike, stuck = Spike(size=10.0, lasting=5 * s), Stuck(value=3.0)
    assert shown(spike, stuck) == 3.0
    assert shown(stuck, spike) == 13.0


def test_faults_before_a_swap_follow_the_value_and_later_faults_stay_with_the_name():
    kernel = Kernel()
    left, right = kernel.signal("left", 1.0), kernel.signal("right", 2.0)
    Disturbance(left, Spike(size=10.0, lasting=9 * s))
    Disturbance(left, Swapped(other="right"))
    Disturbance(left, Spike(size=100.0, lasting=9 * s))
    kernel.run(until=1)
    assert (left.peek(), right.peek()) == (102.0, 11.0)


def test_swaps_in_a_ring_turn_it_round():
    kernel = Kernel()
    a, b, c = (kernel.signal(name, value) for name, value in (("a", 1), ("b", 2), ("c", 3)))
    Disturbance(a, Swapped(other="b"))
    Disturbance(b, Swapped(other="c"))
    Disturbance(c, Swapped(other="a"))

    def writer() -> None:
        # a, b, c = 1, 2, 3 → swap a, b: 2, 1, 3 → swap b, c: 2, 3, 1 → swap c, a: 1, 3, 2
        assert (a.peek(), b.peek(), c.peek()) == (1, 3, 2)
        a.set(10)
        b.set(20)
        c.set(30)
        assert (a.peek(), b.peek(), c.peek()) == (10, 30, 20)

    kernel.spawn(writer)
    kernel.run()


def test_another_fault_does_not_shift_the_random_times_of_one():
    def begins(*others: Fault) -> list[float]:
        kernel = Kernel(seed=9)
        eye = kernel.signal("eye", False)
        for other in others:
            Disturbance(eye, other)
        Disturbance(eye, StuckOn(rate=0.1, lasting=1 * s))
        kernel.run(until=100_000_000)
        return [
            time for time, _, fields in report(kernel) if fields["fault"] == "stuck_on" and fields["state"] == "begins"
        ]

    assert begins() == begins(Dropout(rate=0.5, lasting=0.1), Late(by=0.1))


def test_two_of_a_kind_have_streams_of_their_own():
    kernel = Kernel(seed=9)
    eye = kernel.signal("eye", False)
    for _ in range(2):
        Disturbance(eye, StuckOn(rate=0.1, lasting=1 * s))
    kernel.run(until=100_000_000)
    times = {
        name: {t for t, _, fields in report(kernel) if fields["fault"] == name} for name in ("stuck_on", "stuck_on 2")
    }
    assert times["stuck_on"]
    assert times["stuck_on 2"]
    assert not times["stuck_on"] & times["stuck_on 2"]


# ---------------------------------------------------------------- deadlocks


def waiting_for(kernel: Kernel, signal: Signal) -> str:
    """How a run ends in which a program waits for a signal, while a ticker that writes nothing keeps running."""
    kernel.every(100_000, lambda: None, writes=())
    kernel.spawn(lambda: wait(signal), name="robot")
    return kernel.run(until=100_000_000).ending


def test_a_fault_to_come_may_help_a_program_that_waits():
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    assert waiting_for(kernel, eye) == "deadlock"
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    Disturbance(eye, StuckOn(at=50 * s))
    assert waiting_for(kernel, eye) == "finished"
    assert kernel.now == 50_000_000


def test_a_fault_that_is_over_releases_no_program():
    kernel = Kernel()
    eye = kernel.signal("eye", True)
    Disturbance(eye, StuckOff(at=1 * s))
    kernel.every(100_000, lambda: None, writes=())
    kernel.spawn(lambda: [delay(2), wait(eye)], name="robot")
    assert kernel.run(until=100_000_000).ending == "deadlock"
    assert kernel.now == 2_000_000


def test_a_writer_of_one_swapped_signal_may_release_a_program_that_waits_for_the_other():
    kernel = Kernel()
    left, right = kernel.signal("left", False), kernel.signal("right", False)
    Disturbance(left, Swapped(other="right"))
    kernel.every(1_000_000, lambda: left.set(kernel.now > 5_000_000), writes=(left,))
    kernel.spawn(lambda: [delay(2), wait(right)], name="robot")
    assert kernel.run(until=100_000_000).ending == "finished"
    assert kernel.now == 6_000_000
