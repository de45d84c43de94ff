"""A report is one self-contained page that agrees with the result, claims only what was checked, and is safe."""

import base64
import re

import pytest
from hypothesis import given, strategies as st

from drycell import Body, Box, Cell, delay, mm
from drycell.base import DrycellError
from drycell.record import Result, figures
from drycell.report import Section, html_report

HOSTILE = "<script>alert('x')</script>\"&\x00\ud800"
PNG = b"\x89PNG\r\n\x1a\n"


def test_a_page_is_well_formed_and_needs_nothing_else(read, flow: Result) -> None:
    text = html_report(flow, picture="<svg xmlns='http://www.w3.org/2000/svg'/>", caption="The cell")
    page = read(text)
    assert page.mistakes == []
    assert text.startswith("<!DOCTYPE html>\n<html lang=")
    assert page.tags.count("h1") == 1
    assert {"main", "header", "footer", "figure", "table", "svg"} <= set(page.tags)
    assert not {"script", "link", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert [value[:15] for name, value in page.attributes if name in ("src", "href")] == ["data:image/svg+"]
    assert not re.search(r"url\(|@import", text)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_custom_sections_come_last(read, flow: Result) -> None:
    page = read(html_report(flow, sections=[Section("Energy & cost", "<p>4 kWh</p>")]))
    assert list(page.sections) == [
        "head",
        "Key figures",
        "Collisions and clearance",
        "Parts and cycle times",
        "Utilisation",
        "Waits",
        "Timing diagram",
        "Energy & cost",
    ]
    assert "4 kWh" in page.sections["Energy & cost"]


def test_figures_are_those_of_the_result(read, flow: Result) -> None:
    page = read(html_report(flow))
    parts, cycle, mill = flow.parts, flow.cycle, flow.devices["mill"]
    assert parts.sunk == 20  # one every 30 s from 0 s on; the belt and the fall take less than 30 s
    counts = [parts.arrived, parts.machined, parts.stored, parts.sunk, parts.inside, parts.lost]
    assert page.table("Arrived", "Machined", "Stored", "Taken out", "In the cell", "Lost") == [list(map(str, counts))]
    assert page.table("Mean", "Shortest", "Longest", "Cycles") == [
        [f"{cycle.mean:.3f} s", f"{cycle.shortest:.3f} s", f"{cycle.longest:.3f} s", str(cycle.count)]
    ]
    (row,) = page.table("Name", "Busy", "", "Over the run", "Busy time", "Work", "Failures")
    assert [row[0], row[2], *row[4:]] == [
        "mill",
        f"{mill.busy:.1%}",
        f"{mill.time:.1f} s",
        f"{mill.cycles} cycles",
        "none",
    ]
    last = page.table("Part", "From", "Arrived", "Machined by", "Went to", "Finished", "Cycle time")
    assert [line[0] for line in last] == [each.part for each in parts.finished(10)]
    (wait,) = page.table("Program", "Waited", "For", "At")
    assert wait[:3] == ["tend", f"{flow.waits['tend'].seconds:.1f} s", "mill.ready"]
    (line,) = page.table("Program", "At", "For", "Waits", "Total", "Share of run", "Longest")
    (known,) = figures.wait_lines(flow.record, flow.outcome.time)
    assert [line[3], line[4]] == [str(known.count), f"{known.total:.1f} s"]
    assert f"{cycle.mean:.1f} s mean cycle time" in page.sections["Key figures"]


def test_the_same_run_gives_the_same_bytes(flow: Result, flow_again) -> None:
    assert html_report(flow) == html_report(flow_again())


def test_report_has_the_given_title(flow: Result) -> None:
    assert "<h1>Line 3</h1>" in html_report(flow, title="Line 3")


def test_names_from_the_cell_cannot_become_markup(read) -> None:
    name = f"cell {HOSTILE}"
    cell = Cell(name)
    cell.add("table", Body(Box(1, 1, 0.1)))
    flag = cell.signal("</text><script>", False)
    word = cell.signal("word", "")

    @cell.program
    def work() -> None:
        delay(1)
        flag.set(True)
        word.set(HOSTILE)
        delay(1)

    text = html_report(
        cell.run(),
        caption=HOSTILE,
        picture="<svg/>",
        settings={HOSTILE: HOSTILE},
        sections=[Section(HOSTILE, "")],
    )
    page = read(text)
    assert page.mistakes == []
    assert "script" not in page.tags
    assert "<script>alert('x')</script>" in page.sections["head"]  # as text, and as it was written
    assert "</text><script>" in page.rows
    text.encode("utf-8")
    assert "\x00" not in text


@given(st.text())
def test_escaped_text_reads_back_unchanged_except_invalid_characters(text: str) -> None:
    from html import unescape

    from drycell.report.charts import escaped

    shown = escaped(text)
    assert not set("<>\"'\x00") & set(shown)
    assert len(unescape(shown)) == len(text) or "&" in text
    shown.encode("utf-8")


def test_unchecked_results_are_not_claimed(read, flow: Result) -> None:
    page = read(html_report(flow))
    assert "Not checked" in page.sections["Collisions and clearance"]
    assert "Collisions not checked" in page.sections["head"]
    assert "Clean" not in page.sections["head"]
    assert "collision" not in page.sections["Key figures"]


def test_an_empty_cell_has_a_report(read) -> None:
    page = read(html_report(Cell("nothing").run()))
    assert page.mistakes == []
    assert list(page.sections) == ["head", "Collisions and clearance"]
    assert "svg" not in page.tags


def test_collisions_are_listed_with_time_bodies_depth_and_point(read, collided: Result) -> None:
    page = read(html_report(collided))
    (collision,) = collided.collisions
    assert collision.time == 900_000  # cube and wall are 1 m apart, 100 mm wide each, at 1 m/s
    x, y, z = (round(value / mm, 1) for value in collision.point)
    rows = page.table("Time", "Body", "Body", "Depth", "Point (mm)", "Until")
    depth = f"{collision.depth / mm:.2f} mm"
    assert rows == [
        ["0.900 s", collision.a, collision.b, depth, f"{x:.1f}, {y:.1f}, {z:.1f}", f"{collision.end / 1e6:.3f} s"]
    ]
    (near,) = page.table("Time", "Body", "Body", "Clearance", "Point (mm)")
    assert {near[1], near[2]} == {"cube", "post"}
    assert near[3] == "3.00 mm"
    assert "1 collision " in page.sections["head"]
    assert 'class="hit"' in html_report(collided)  # a line in the timing diagram


def test_a_checked_run_without_collisions_is_clean(read) -> None:
    cell = Cell("checked")
    cell.add("table", Body(Box(1, 1, 0.1)))
    cell.check_collisions()
    cell.program(lambda: delay(1), name="work")
    page = read(html_report(cell.run()))
    assert "Clean: no collision, deadlock or lost part" in page.sections["head"]
    assert "No collision between the pairs that are checked." in page.sections["Collisions and clearance"]


def test_a_deadlock_names_every_program_in_it(read, deadlocked: Result) -> None:
    page = read(html_report(deadlocked))
    rows = page.table("Program", "Waits for", "At", "Waited so far")
    blocked = [[each.process, each.waits_for] for each in deadlocked.outcome.blocked]
    assert [row[:2] for row in rows] == blocked == [["left", "nest"], ["right", "tool"]]
    assert [row[3] for row in rows] == ["1.0 s", "0.0 s"]
    assert "Deadlock" in page.sections["head"]


def test_lost_parts_are_named(read) -> None:
    cell = Cell("lost")
    peg = cell.add("peg", Body(Box(10 * mm, 10 * mm, 10 * mm), part=True))

    @cell.program
    def drop() -> None:
        cell.gravity.release(peg)
        delay(10)

    page = read(html_report(cell.run()))
    assert "peg" in page.sections["Lost parts"]
    assert "1 part lost" in page.sections["head"]


def test_report_of_eight_hours_is_small(read, shift: Result) -> None:
    whole = html_report(shift, window=(0, shift.outcome.time))
    assert shift.parts.sunk > 900
    assert len(html_report(shift).encode()) < 100_000
    assert len(whole.encode()) < 300_000
    assert read(whole).mistakes == []


def test_pictures_are_embedded_with_their_type(read, collided: Result) -> None:
    (source,) = [value for name, value in read(html_report(collided, picture=PNG)).attributes if name == "src"]
    assert base64.b64decode(source.removeprefix("data:image/png;base64,")) == PNG
    with pytest.raises(DrycellError, match="neither PNG nor JPEG: it begins with b'GIF8'"):
        html_report(collided, picture=b"GIF89a")
