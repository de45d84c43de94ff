"""Incremental counts over a growing track agree with a count over all its rows, at every time."""

from collections import Counter
from typing import Any

from hypothesis import given, strategies as st

from drycell.kernel import Kernel, Track, Tracks
from drycell.record import FAULT_STATES, LiveRecord, figures
from drycell.record.parts import Flow
from drycell.record.record import Faults
from drycell.world import NearMiss, PartStep, World

KINDS = ("bolt", "nut")
PLACES = ("bin", "rack")


@st.composite
def _steps(draw: st.DrawFn) -> list[tuple[int, PartStep]]:
    """What happens to a few parts, as part tracking writes it: parts that were sunk are gone."""
    rows: list[tuple[int, PartStep]] = []
    t = arrived = 0
    here: list[int] = []
    for _ in range(draw(st.integers(0, 25))):
        t += draw(st.integers(0, 3))
        if not here or draw(st.integers(0, 3)) == 0:
            kind = draw(st.sampled_from(KINDS))
            rows.append((t, PartStep(arrived, "arrives", "", f"{kind}{arrived}", kind)))
            here.append(arrived)
            arrived += 1
            continue
        part = draw(st.sampled_from(here))
        step = draw(st.sampled_from(["carried", "machined", "stored", "unstored", "sunk", "lost", "found"]))
        place = draw(st.sampled_from(PLACES)) if step != "sunk" else "sink"
        rows.append((t, PartStep(part, step, place)))  # type: ignore[arg-type]  # one of them
        if step == "sunk":
            here.remove(part)
    return rows


@given(_steps(), st.lists(st.integers(-1, 80), max_size=6))
def test_places_finishes_and_histogram_agree_with_the_parts(rows: list[tuple[int, PartStep]], asked: list[int]) -> None:
    track: Track[PartStep] = Track()
    growing = Flow(track)
    for t, step in rows:
        track.append(t, step)
        growing.read()
        growing.parts(t, True).places()
        assert growing.parts(t, True).records is not None
    for t in [*asked, *(time for time, _ in rows)]:
        parts = growing.parts(t, True)
        lying = [each for each in parts.records if each.end in ("stored", "sunk")]
        counted = Counter((each.where, each.kind) for each in lying)
        shown = {(place.name, kind): count for place in parts.places() for kind, count in place.kinds.items()}
        assert shown == counted
        assert all(place.count == sum(place.kinds.values()) for place in parts.places())
        assert (parts.stored, parts.sunk) == tuple(sum(each.end == end for each in lying) for end in ("stored", "sunk"))
        finished = parts.finished()
        assert sorted((each.time, each.part, each.where) for each in finished) == sorted(
            (each.time, each.name, each.where) for each in lying
        )
        assert [each.time for each in finished] == sorted(each.time for each in finished)
        whole = Flow(track)
        whole.read()
        assert whole.parts(t, True).records == parts.records
        assert (whole.cycle(t), whole.finished(t), whole.places(t)) == (growing.cycle(t), finished, parts.places())


@given(st.lists(st.integers(0, 10**9), max_size=40), st.integers(1, 20))
def test_the_histogram_counts_every_time_in_round_bins(spans: list[int], most: int) -> None:
    kernel = Kernel()
    record = LiveRecord(kernel, World(kernel))
    track, t = kernel.tracks.track("parts"), 0
    for number, span in enumerate([0, *spans]):
        t += span
        track.append(t, PartStep(number, "arrives", "", f"bolt{number}", "bolt"))
        track.append(t, PartStep(number, "sunk", "sink"))
    bars = figures.spread(record, t, most)
    assert sum(count for _, _, count in bars) == len(spans)
    assert len(bars) <= most
    for low, high, count in bars:
        assert count == sum(round(low * 1e6) <= span < round(high * 1e6) for span in spans)
    assert not spans or (bars[0][2] and bars[-1][2])


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["late", "spike"]), st.sampled_from(FAULT_STATES))))
def test_faults_are_counted_as_they_occur(rows: list[tuple[int, str, str]]) -> None:
    track: Track[tuple[str, str]] = Track()
    growing, now = Faults(track), 0
    in_force: dict[str, bool] = {}
    struck: Counter[str] = Counter()
    for wait, fault, state in rows:
        now += wait
        if (state == "begins") == in_force.get(fault, False) and state != "strikes":
            continue  # it is so already
        if state == "strikes" and in_force.get(fault, False):
            continue
        track.append(now, (fault, state))
        growing.read()
        struck[fault] += state != "ends"
        in_force[fault] = state == "begins"
        assert {each.fault: (each.active, each.times) for each in growing.counts(now)} == {
            name: (in_force[name], times) for name, times in struck.items()
        }
    assert growing.counts(-1) == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("pq")), max_size=12))
def test_near_misses_of_all_monitors_are_in_chronological_order(found: list[tuple[int, int, str]]) -> None:
    kernel = Kernel()
    record, end = LiveRecord(kernel, World(kernel)), 0
    tracks: Tracks = kernel.tracks
    misses: list[Any] = []
    for number, (wait, before, monitor) in enumerate(found):
        end += wait
        miss = NearMiss(end - before, "a", str(number), 0.1, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.1)), end)
        tracks.track("near misses", monitor).append(end, miss)
        misses.append(miss)
        for t in (end, end // 2, end):
            known = [each for each in misses if each.end <= t]
            assert figures.near_misses(record, t) == tuple(sorted(known, key=lambda each: (each.time, each.a, each.b)))
