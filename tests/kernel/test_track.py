"""Tracks and spans against plain lists that are searched from end to end."""

from hypothesis import given, strategies as st

from drycell.kernel import Changes, Spans, Track

ROWS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), max_size=30)  # time since the row before, value


def made(rows: list[tuple[int, str]]) -> tuple[Track[str], list[tuple[int, str]]]:
    track: Track[str] = Track()
    plain, t = [], 0
    for step, value in rows:
        t += step
        track.append(t, value)
        plain.append((t, value))
    return track, plain


def stretches(plain: list[tuple[int, str]], value: str, t: int) -> list[tuple[int, int]]:
    """When it had a value before t, by hand. A new one begins with a row of that value after another one."""
    found: list[tuple[int, int]] = []
    for place, (start, each) in enumerate(plain):
        if each != value or start >= t or (place and plain[place - 1][1] == value):
            continue
        end = next((time for time, other in plain[place + 1 :] if other != value), t)
        if end > start:
            found.append((start, min(end, t)))
    return found


@given(rows=ROWS, ask=st.lists(st.integers(0, 130), min_size=1, max_size=6))
def test_values_counts_and_spans_are_those_of_a_plain_list(rows: list[tuple[int, str]], ask: list[int]) -> None:
    track, plain = made(rows)
    assert list(track) == [value for _, value in plain]
    for t in ask:
        before = [value for time, value in plain if time <= t]
        assert (track.count(t), track.at(t)) == (len(before), before[-1] if before else None)
        for value in "abc":
            wanted, spans = stretches(plain, value, t), track.spans(value)
            assert spans.until(t) == wanted
            assert spans.total(t) == sum(end - start for start, end in wanted)
            assert spans.begun(t) == len(wanted)


@given(rows=ROWS, cut=st.integers(0, 30), ask=st.integers(0, 130))
def test_queries_in_between_change_nothing(rows: list[tuple[int, str]], cut: int, ask: int) -> None:
    whole, plain = made(rows)
    asked: Track[str] = Track()
    for place, (time, value) in enumerate(plain):
        asked.append(time, value)
        if place == cut:
            asked.by_value()
    for value in "abc":
        one, other = whole.spans(value), asked.spans(value)
        assert (one.total(ask), one.longest(ask), one.until(ask)) == (
            other.total(ask),
            other.longest(ask),
            other.until(ask),
        )


@given(rows=ROWS, before=st.integers(0, 120), later=st.integers(0, 60))
def test_removed_rows_still_count(rows: list[tuple[int, str]], before: int, later: int) -> None:
    whole, _ = made(rows)
    short, _ = made(rows)
    short.by_value()
    short.forget(before)
    t = before + later
    assert short.at(t) == whole.at(t)
    assert short.rows == whole.rows
    for value in "abc":
        one, other = whole.spans(value), short.spans(value)
        assert (one.total(t), one.longest(t)) == (other.total(t), other.longest(t))
        assert (one.begun(t), one.over(t), one.going_on(t)) == (other.begun(t), other.over(t), other.going_on(t))


def test_an_empty_span_is_removed() -> None:
    spans = Spans()
    spans.open(5)
    spans.close(5)
    spans.open(7)
    spans.close(9)
    assert (spans.until(20), spans.over(20), spans.longest(20)) == ([(7, 9)], 1, (2, 7))


def test_the_changes_of_a_signal_are_rows_of_time_value_and_writer() -> None:
    level: Changes[float] = Changes(float, "bar")
    level.write(0, 0.5, "")
    level.write(3, 1.5, "pump")
    assert list(level) == [(0, 0.5, ""), (3, 1.5, "pump")]
    assert level[-1] == (3, 1.5, "pump")
    assert level[1:] == [(3, 1.5, "pump")]
    assert (level.at(2), level.type, level.unit) == (0.5, "float", "bar")
