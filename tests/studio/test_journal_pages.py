"""Pages of a journal: filtered, in order, and fast for long journals."""

from hypothesis import given, strategies as st

from drycell.kernel import JournalLine
from drycell.studio.api.journal import JournalFilter
from drycell.studio.host.journal import LARGEST, JournalPages, row

KINDS = ("signal", "move", "collision", "grasps")


def _journal(count: int) -> list[JournalLine]:
    return [
        JournalLine(k * 1000, KINDS[k % len(KINDS)], f"thing{k % 7}", {"value": k % 2 == 0, "text": f"row {k}"})
        for k in range(count)
    ]


JOURNAL = _journal(500)


@given(
    st.sets(st.sampled_from(KINDS)),
    st.sampled_from(["", "thing3", "ROW 4", "nowhere"]),
    st.none() | st.integers(0, 500_000),
    st.none() | st.integers(0, 500_000),
    st.integers(-20, 520),
    st.integers(1, 60),
)
def test_a_page_is_an_interval_of_all_frames(
    kinds: set[str], text: str, t0: int | None, t1: int | None, after: int, count: int
) -> None:
    wanted = JournalFilter(tuple(kinds), text, t0, t1)
    page = JournalPages(JOURNAL).page(wanted, after, count)
    passing = [
        number
        for number, record in enumerate(JOURNAL)
        if (not kinds or record.kind in kinds)
        and text.lower() in record.text().lower()
        and (t0 is None or record.time >= t0)
        and (t1 is None or record.time <= t1)
    ]
    place = after if after >= 0 else max(len(passing) + after, 0)
    assert page.total == len(passing)
    assert [each.n for each in page.rows] == passing[place : place + count]
    assert page.kinds == dict.fromkeys(sorted(KINDS), 125)


def test_later_events_are_found_as_well() -> None:
    journal = _journal(10)
    pages, wanted = JournalPages(journal), JournalFilter(("move",), "thing")
    assert pages.page(wanted, 0, 99).total == 3
    journal += [JournalLine(99_000, "move", "thing9", {})] * 4
    page = pages.page(wanted, -2, 99)
    assert (page.total, page.place, len(page.rows)) == (7, 5, 2)


def test_a_page_has_a_largest_size() -> None:
    assert len(JournalPages(_journal(3000)).page(JournalFilter(), 0, 5000).rows) == LARGEST


def test_a_long_journal_is_searched_in_pieces_and_only_once() -> None:
    pages, wanted, asked = JournalPages(_journal(100_000)), JournalFilter(text="row 99999"), 0
    while True:
        page = pages.page(wanted, 0, 50)
        asked += 1
        if page.looked == page.records:
            break
    assert (page.total, asked) == (1, 10)
    assert pages.page(wanted, 0, 50).looked == page.records  # at once, because the result is cached


def test_the_place_of_an_instant_is_known() -> None:
    pages = JournalPages(JOURNAL)
    assert pages.place(JournalFilter(), 9_999) == 10
    assert pages.place(JournalFilter(("move",)), 9_999) == 3
    assert pages.place(JournalFilter(t0=5_000), 9_999) == 5


def test_encounters_show_who_where_and_how_near() -> None:
    collision = JournalLine(
        5, "collision", "collision", {"a": "arm/hand", "b": "post", "point_m": [0.1, 0.02, 0.3], "depth_m": 0.0}
    )
    reported = row(7, collision)
    assert reported.bodies == ("arm/hand", "post")
    assert reported.point == (0.1, 0.02, 0.3)
    assert reported.text == "arm/hand – post at (100.0, 20.0, 300.0) mm"
    miss = JournalLine(
        9_000_000, "near miss", "collision", {"a": "x", "b": "y", "nearest_s": 8.5, "distance_m": 0.0021}
    )
    reported = row(8, miss)
    assert (reported.t, reported.show, reported.distance) == (9_000_000, 8_500_000, 0.0021)
    assert reported.text == "x – y within 2.100 mm at 8.500 s"


def test_other_records_show_their_fields() -> None:
    assert row(0, JournalLine(1, "signal", "eye", {"value": True, "writer": "eye"})).text == "value=True  writer=eye"
    assert row(0, JournalLine(1, "move", "arm", {"a": "collision"})).bodies is None
