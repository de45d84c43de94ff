"""Reduced traces: at any zoom no edge and no extreme of a signal is hidden."""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from drycell.base import FieldError
from drycell.kernel import Changes
from drycell.studio.host.signal_trace import SignalTrace, edge

HOUR = 3_600_000_000


KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}


def _made(kind: str, rows: Iterable[tuple[int, Any, str]] = ()) -> Changes[Any]:
    changes: Changes[Any] = Changes(KINDS[kind])
    for row in rows:
        changes.write(*row)
    return changes


def _histories(kind: str, values: st.SearchStrategy) -> st.SearchStrategy:
    rows = st.lists(st.tuples(st.integers(0, 20_000), values, st.sampled_from(["", "eye", "robot"])), max_size=60)
    return rows.map(lambda found: _made(kind, sorted(found, key=lambda change: change[0])))


TRACKS = st.one_of(
    _histories("bool", st.booleans()),
    _histories("int", st.integers(-5, 5)),
    _histories("float", st.floats(-10, 10) | st.sampled_from([math.nan, math.inf])),
    _histories("str", st.sampled_from(["idle", "busy", ""])),
)


@given(TRACKS, st.integers(-50, 20_000), st.integers(1, 20_000), st.integers(1, 300))
def test_no_edge_and_no_extreme_is_hidden_at_any_zoom(track: Changes[Any], t0: int, span: int, width: int) -> None:
    seen = SignalTrace(track).window(t0, t0 + span, width)
    inside = [change for change in track if t0 <= change[0] <= t0 + span]
    assert sum(seen.n) == len(inside)
    before = [change for change in track if change[0] < t0]
    assert _same(seen.before, before[-1][1] if before else None)
    rest = list(inside)
    for index, (first, last, count) in enumerate(zip(seen.t, seen.u, seen.n, strict=True)):
        here, rest = rest[:count], rest[count:]
        assert (first, last) == (here[0][0], here[-1][0])
        assert (last - first) * width <= span  # no wider than a column
        assert _same(seen.v[index], here[-1][1])
        assert seen.writers[seen.w[index]] == here[-1][2]
        if track.type in ("int", "float"):
            numbers = [value for _, value, _ in here if not math.isnan(value)]
            assert _same(seen.lo[index], min(numbers, default=None))
            assert _same(seen.hi[index], max(numbers, default=None))
    assert all((b - t0) * width // span > (a - t0) * width // span for a, b in pairwise(seen.t))
    assert len(seen.t) <= width + 1


def _same(shown: object, value: object) -> bool:
    if isinstance(value, float) and math.isnan(value):
        return shown is None
    if isinstance(value, float) and math.isinf(value):
        return shown == math.copysign(1e308, value)
    return shown == value and isinstance(shown, type(value) | float)


def test_a_narrow_window_shows_every_change() -> None:
    track = _made("bool", [(10 * k, k % 2 == 1, "eye") for k in range(50)])
    seen = SignalTrace(track).window(0, 500, 500)
    assert (seen.n, seen.t) == ((1,) * 50, tuple(10 * k for k in range(50)))


def test_a_pulse_without_extent_is_reported_as_two_changes() -> None:
    seen = SignalTrace(_made("bool", [(0, False, ""), (7, True, "a"), (7, False, "a")])).window(1, 1000, 10)
    assert (seen.n, seen.t, seen.u, seen.v) == ((2,), (7,), (7,), (False,))


def test_a_trace_grows_with_its_signal() -> None:
    track = _made("float", [(0, 1.0, "")])
    trace = SignalTrace(track)
    for k in range(1, 500):
        track.write(k, float(k % 7), "x")
        assert sum(trace.window(0, 1000, 8).n) == k + 1
    assert trace.extent() == (0.0, 6.0)
    track.drop(100)  # a kernel that remembers only the last changes
    assert sum(trace.window(0, 1000, 8).n) == 400


def test_drawing_a_signal_does_not_stop_its_growth() -> None:
    track = _made("float", [(0, 1.0, ""), (1, 2.0, "")])
    trace = SignalTrace(track)
    seen, extent = trace.window(0, 10, 10), trace.extent()
    track.write(2, 3.0, "")  # would fail while a reader uses its columns
    assert (seen.v, extent, trace.extent()) == ((1.0, 2.0), (1.0, 2.0), (1.0, 3.0))
    with pytest.raises(FieldError) as refused:
        trace.window(5, 5, 10)
    track.write(3, 4.0, "")
    assert refused.value.what


def test_eight_hours_of_a_hundred_thousand_changes_fit_the_columns_of_a_picture() -> None:
    track = _made("float", [(k * 8 * HOUR // 100_000, math.sin(k / 50), "x") for k in range(100_000)])
    seen = SignalTrace(track).window(0, 8 * HOUR, 1500)
    assert len(seen.t) <= 1501
    assert sum(seen.n) == 100_000
    assert max(seen.hi) == max(value for _, value, _ in track)


def test_windows_that_make_no_sense_are_refused() -> None:
    trace = SignalTrace(_made("bool", [(0, True, "")]))
    with pytest.raises(FieldError, match="is empty"):
        trace.window(5, 5, 10)
    with pytest.raises(FieldError, match="is not between 1 and"):
        trace.window(0, 5, 0)


def test_jumping_goes_from_edge_to_edge() -> None:
    changes = _made("bool", [(0, False, ""), (5, True, "a"), (9, False, "b")])
    assert [edge(changes, t, True) for t in (0, 5, 8, 9)] == [5, 9, 9, None]
    assert [edge(changes, t, False) for t in (0, 5, 6, 99)] == [None, 0, 5, 9]
