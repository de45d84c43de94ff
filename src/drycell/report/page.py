"""Reports: a run as one HTML page that can be emailed, printed or attached to a CI job.

The page contains its style and drawings, loads nothing and runs no script. Its figures are those of
:mod:`drycell.record.figures`; the same run gives the same bytes, so a report has no date.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import DrycellError, format_length, format_time, mm
from drycell.kernel import is_users, seconds
from drycell.record import Parts, Result, Usage, Wait, figures
from drycell.report import charts
from drycell.report.charts import escaped
from drycell.report.timing import timing_diagram
from drycell.report.wait_graph import wait_for_graph

_ENDINGS: Final = {
    "finished": "all programs ended",
    "until": "time limit reached",
    "deadlock": "deadlock: no program can continue",
    "stopped": "stopped",
    "interrupted": "interrupted: figures up to that time",
    "error": "a program failed: figures up to that time",
}
_MOST: Final = 50  # rows of a table of collisions, near misses, lost parts, devices
_STATES: Final = {"stored": "stored", "sunk": "taken out", "inside": "in the cell", "lost": "lost"}
_LAST_PARTS: Final = 10
_WAIT_LINES: Final = 12
_KINDS: Final = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class Section:
    """An additional section of a report: its title, and its body as HTML whose texts are already escaped."""

    title: str
    html: str


def html_report(
    result: Result,
    *,
    title: str = "",
    picture: bytes | str | None = None,
    caption: str = "",
    settings: Mapping[str, object] | None = None,
    window: tuple[int, int] | None = None,
    signals: Sequence[str] | None = None,
    sections: Iterable[Section] = (),
) -> str:
    """Return a report of a run as one HTML page.

    Args:
        result: The run.
        title: The heading; the cell's name by default.
        picture: A PNG or JPEG file as bytes, or an SVG drawing as text.
        caption: The text below the picture.
        settings: Facts to show beside the cell's name and its seed.
        window: The start and the end of the timing diagram, in ticks.
        signals: The signals that the timing diagram shows; ``*`` and ``?`` are wildcards.
        sections: Your own sections, shown at the end.

    Raises:
        DrycellError: The picture is neither PNG nor JPEG, the window is not within the run, or a requested signal does
            not exist.
    """
    name = title or result.name
    body = [
        _head(result, name, settings or {}),
        html_picture(picture, caption),
        _key_figures(result),
        _deadlock(result),
        _collisions(result),
        _lost(result),
        _cycle_times(result),
        _utilisation(result),
        _waits(result),
        _moves(result),
        _timing(result, window, signals),
        *(html_section(each.title, each.html) for each in sections),
    ]
    return html_document(f"{name} · run report", filter(None, body), _foot(result))


def html_document(title: str, body: Iterable[str], foot: str = "") -> str:
    """Return a page with the style of reports. It runs no script and loads nothing, whatever its texts contain.

    Args:
        title: The title of the page, as plain text.
        body: The parts of the page, as HTML whose texts are escaped.
        foot: The foot of the page, as HTML.
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">",
            '<meta name="generator" content="drycell">',
            f"<title>{escaped(title)}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            foot,
            "</body>",
            "</html>",
            "",
        ]
    )


# ---------------------------------------------------------------- head


def _head(result: Result, name: str, settings: Mapping[str, object]) -> str:
    ended = _ENDINGS.get(result.ending, result.ending)
    reason = f": {result.outcome.reason}" if result.outcome.reason else ""
    facts = [
        ("Cell", result.name),
        ("Seed", result.seed),
        ("Cell time", format_time(result.duration)),
        ("Ended", f"{ended}{reason}"),
        ("Collision check", _checked(result)),
        *settings.items(),
    ]
    posted = sum(row.tick >= 0 and row.what != "stop" for row in result.record.tracks.track("inputs"))
    if posted:
        facts.append(("External requests", _count(posted, "request")))
    rows = "".join(f"<div><dt>{escaped(key)}</dt><dd>{escaped(value)}</dd></div>" for key, value in facts)
    verdicts = "".join(f'<span class="pill {kind}">{escaped(text)}</span>' for kind, text in _verdicts(result))
    return (
        f'<header><p class="kicker">Run report</p><h1>{escaped(name)}</h1>'
        f'<p class="verdict">{verdicts}</p><dl class="facts">{rows}</dl></header>'
    )


def _checked(result: Result) -> str:
    if not result.checked:
        return "not checked"
    looked = result.record.looked
    return "whole run" if looked >= result.outcome.time else f"up to {format_time(seconds(looked))}"


def _verdicts(result: Result) -> list[tuple[str, str]]:
    """Return the verdicts on a run: each problem, or one verdict that the run is clean."""
    found = []
    if result.collisions:
        found.append(("bad", _count(len(result.collisions), "collision")))
    if result.ending == "deadlock":
        found.append(("bad", "Deadlock"))
    if result.lost:
        found.append(("bad", f"{_count(len(result.lost), 'part')} lost"))
    if result.ending not in ("finished", "until", "deadlock"):
        found.append(("bad" if result.ending == "error" else "warn", result.ending.capitalize()))
    if not found:
        found.append(("good", "Clean: no collision, deadlock or lost part" if result.checked else "No deadlock"))
        if not result.checked:
            found.append(("good", "Nothing lost"))
    if not result.checked:
        found.append(("plain", "Collisions not checked"))
    if result.near_misses:
        found.append(("warn", _count(len(result.near_misses), "near miss", "near misses")))
    return found


def html_picture(picture: bytes | str | None, caption: str) -> str:
    """Return a picture of a report: a PNG or JPEG file as bytes, or an SVG drawing as text. The caption is plain text.

    Raises:
        DrycellError: The picture is neither PNG nor JPEG.
    """
    if picture is None:
        return ""
    if isinstance(picture, str):
        kind, data = "image/svg+xml", picture.encode()
    else:
        found = next((kind for start, kind in _KINDS.items() if picture.startswith(start)), None)
        if found is None:
            raise DrycellError(
                f"the picture for the report is neither PNG nor JPEG: it begins with {picture[:4]!r}",
                hint="give a PNG or JPEG file, or an SVG drawing as text",
            )
        kind, data = found, picture
    # Embedded as an image, not inline, so that the drawing cannot add scripts or styles to the page.
    source = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    words = f"<figcaption>{escaped(caption)}</figcaption>" if caption else ""
    return f'<figure class="picture"><img alt="{escaped(caption or "The cell")}" src="{source}">{words}</figure>'


# ---------------------------------------------------------------- key figures


def _key_figures(result: Result) -> str:
    cards: list[tuple[str, str, str]] = []
    parts, cycle = result.parts, result.cycle
    if parts.kept:
        done = parts.stored + parts.sunk
        cards.append((str(done), "parts finished", f"{parts.arrived} arrived, {parts.inside} still in the cell"))
    if cycle is not None:
        spread = f"{cycle.shortest:.1f} to {cycle.longest:.1f} s"
        cards.append((f"{cycle.mean:.1f} s", "mean cycle time", spread))
    for kind, used in (("device", result.devices), ("robot", result.robots)):
        if used and result.duration:
            name = max(used, key=lambda each: used[each].busy)
            doing = "busy" if kind == "device" else "in motion"
            of = f"the highest of {_count(len(used), kind)}" if len(used) > 1 else f"the only {kind}"
            cards.append((f"{used[name].busy:.0%}", f"{name} {doing}", of))
    if result.checked:
        found = len(result.collisions)
        cards.append((str(found), "collision" if found == 1 else "collisions", f"checked: {_checked(result)}"))
        nearest = figures.clearance(result.record, result.outcome.time)
        if nearest is not None:
            cards.append((format_length(nearest.distance, 1), "smallest clearance", f"{nearest.a} – {nearest.b}"))
    waited = [each for each in result.waits.values() if not each.daemon]
    if waited:
        longest = max(waited, key=lambda each: each.seconds)
        cards.append((f"{longest.seconds:.1f} s", "longest wait", f"{longest.process} for {longest.condition}"))
    if not cards:
        return ""
    shown = "".join(
        f'<div class="card"><b>{escaped(value)}</b><span>{escaped(what)}</span><small>{escaped(more)}</small></div>'
        for value, what, more in cards
    )
    return html_section("Key figures", f'<div class="cards">{shown}</div>')


# ---------------------------------------------------------------- parts and cycle times


def _cycle_times(result: Result) -> str:
    parts, cycle = result.parts, result.cycle
    if not parts.arrived and not parts.kept:
        return ""
    columns = ("Arrived", "Machined", "Stored", "Taken out", "In the cell", "Lost")
    counts = (parts.arrived, parts.machined, parts.stored, parts.sunk, parts.inside, parts.lost)
    body = html_table([f"#{column}" for column in columns], [[str(count) for count in counts]])
    if cycle is not None:
        spans = [(each.time, each.span) for each in parts.finished() if each.span is not None]
        rows = [[f"{cycle.mean:.3f} s", f"{cycle.shortest:.3f} s", f"{cycle.longest:.3f} s", str(cycle.count)]]
        body += "<h3>Cycle time</h3><p>Time from one finished part to the next.</p>"
        body += html_table(["#Mean", "#Shortest", "#Longest", "#Cycles"], rows)
        often = charts.histogram([span for _, span in spans], "cycle time (s)", "How often each cycle time occurred")
        over = charts.over_time(spans, cycle.mean, "cycle time (s)", result.duration, "Cycle time over the run")
        body += f'<div class="pair"><figure>{often}<figcaption>Number of cycles by cycle time</figcaption></figure>'
        body += f"<figure>{over}<figcaption>Each cycle, and the mean</figcaption></figure></div>"
    elif parts.kept:
        body += "<p>No cycle time: fewer than two parts were finished.</p>"
    return html_section("Parts and cycle times", body + _last_parts(parts))


def _last_parts(parts: Parts) -> str:
    """The last finished parts; if there are none, the parts that arrived last."""
    finished = parts.finished(_LAST_PARTS)
    if finished:
        rows = []
        for each in finished:
            part = parts[each.part]
            work = ", ".join(machining.by for machining in part.machined) or "–"
            span = "–" if each.span is None else f"{each.span:.3f} s"
            rows.append(
                [each.part, part.source or "–", _clock(part.arrived), work, each.where, _clock(each.time), span]
            )
        head = ["Part", "From", "#Arrived", "Machined by", "Went to", "#Finished", "#Cycle time"]
        title = "Finished parts" if len(parts.finished()) <= _LAST_PARTS else f"The last {len(rows)} finished parts"
    else:
        last = parts.last(_LAST_PARTS)
        if not last:
            return ""
        rows = [
            [each.name, each.source or "–", _clock(each.arrived), _STATES[each.end], each.where or "–"] for each in last
        ]
        head = ["Part", "From", "#Arrived", "End", "Where"]
        title = "Parts" if parts.arrived <= _LAST_PARTS else f"The last {len(rows)} parts"
    return f"<h3>{title}</h3>{html_table(head, rows)}"


# ---------------------------------------------------------------- utilisation


def _utilisation(result: Result) -> str:
    record, t = result.record, result.outcome.time
    rows = []
    for name, used in list(result.devices.items())[:_MOST]:
        broke, down = figures.failures(record, name, t)
        failures = f"{broke} ({down:.1f} s)" if broke else "none"
        rows.append([name, *_use(result, name, used), _count(used.cycles, "cycle"), failures])
    for name, used in list(result.robots.items())[:_MOST]:
        rows.append([name, *_use(result, name, used), _count(used.cycles, "move"), "–"])
    if not rows:
        return ""
    length = format_time(figures.shares(record, rows[0][0], t)[0])
    note = "A device is busy while it is neither idle nor broken, a robot while it moves. "
    note += f"Over the run: one bar per {length}."
    head = ["Name", "~Busy", "#", "~Over the run", "#Busy time", "#Work", "#Failures"]
    more = _more(len(result.devices), "device") + _more(len(result.robots), "robot")
    return html_section("Utilisation", f'{html_table(head, rows)}{more}<p class="note">{note}</p>')


def _use(result: Result, name: str, used: Usage) -> list[str]:
    _, shares = figures.shares(result.record, name, result.outcome.time)
    over = charts.sparkline(shares, f"{name}: share over the run, 0 to 100 %")
    return [charts.bar(used.busy, f"{name}: {used.busy:.1%}"), f"{used.busy:.1%}", over, f"{used.time:.1f} s"]


# ---------------------------------------------------------------- waits


def _deadlock(result: Result) -> str:
    if result.ending != "deadlock":
        return ""
    rows = [
        [each.process, each.condition, _at(each.file, each.line), f"{each.seconds:.1f} s"]
        for each in figures.waiting(result.record, result.outcome.time)
        if not each.daemon
    ]
    body = "<p>These programs are waiting, and nothing can end their waits.</p>"
    if result.stuck:
        body += f'<figure class="wide">{wait_for_graph(result.stuck)}</figure>'
    return html_section("Deadlock", body + html_table(["Program", "Waits for", "At", "#Waited so far"], rows))


def _waits(result: Result) -> str:
    record, t = result.record, result.outcome.time
    body = ""
    longest = sorted(
        (each for each in result.waits.values() if not each.daemon), key=lambda each: (-each.seconds, each.process)
    )
    if longest:
        body += "<h3>Longest wait of each program</h3>"
        body += html_table(["Program", "#Waited", "For", "At"], [_wait(each) for each in longest[:_MOST]])
        body += _more(len(longest), "program")
    lines = [each for each in figures.wait_lines(record, t) if each.process not in record.tracks.daemons]
    if lines:
        rows = [
            [
                each.process,
                _at(each.file, each.line),
                each.condition,
                str(each.count),
                f"{each.total:.1f} s",
                f"{each.total / result.duration:.1%}" if result.duration else "–",
                f"{each.longest:.1f} s",
            ]
            for each in lines[:_WAIT_LINES]
        ]
        body += "<h3>Where programs waited most</h3>"
        body += html_table(["Program", "At", "For", "#Waits", "#Total", "#Share of run", "#Longest"], rows)
        body += _more(len(lines), "place", _WAIT_LINES)
    return html_section("Waits", body) if body else ""


def _wait(wait: Wait) -> list[str]:
    still = "" if wait.over else " (still waiting)"
    return [wait.process, f"{wait.seconds:.1f} s{still}", wait.condition, _at(wait.file, wait.line)]


def _at(file: str, line: int) -> str:
    """Return the line in the user's program; a dash for a task, which waits inside drycell's own code."""
    return f"{file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}" if file and is_users(file) else "–"


# ---------------------------------------------------------------- collisions, lost parts, moves


def _collisions(result: Result) -> str:
    if not result.checked:
        return html_section("Collisions and clearance", "<p>Not checked: this cell has no collision check.</p>")
    upto = "" if _checked(result) == "whole run" else f" Checked {_checked(result)}."
    if result.collisions:
        rows = [
            [
                _clock(seconds(collision.time)),
                collision.a,
                collision.b,
                format_length(collision.depth, 2),
                _point(collision.point),
                "–" if collision.end is None else _clock(seconds(collision.end)),
            ]
            for collision in result.collisions[:_MOST]
        ]
        body = f"<h3>Collisions</h3><p>{_count(len(result.collisions), 'collision')}.{upto}</p>"
        body += html_table(["#Time", "Body", "Body", "#Depth", "#Point (mm)", "#Until"], rows)
        body += _more(len(result.collisions), "collision")
    else:
        body = f"<p>No collision between the pairs that are checked.{upto}</p>"
    if result.near_misses:
        rows = [
            [_clock(seconds(near.time)), near.a, near.b, format_length(near.distance, 2), _point(near.points[0])]
            for near in sorted(result.near_misses, key=lambda near: (near.distance, near.time, near.a, near.b))[:_MOST]
        ]
        body += "<h3>Near misses, the closest first</h3>"
        body += html_table(["#Time", "Body", "Body", "#Clearance", "#Point (mm)"], rows)
        body += _more(len(result.near_misses), "near miss", plural="near misses")
    else:
        body += "<p>No near miss. The check looks for them only where a pair has a clearance.</p>"
    return html_section("Collisions and clearance", body)


def _clock(time: float) -> str:
    """A time to the millisecond, however long the run is: ``3.250 s``, ``12:04.200``, ``7:59:30.000``."""
    whole, rest = divmod(round(time, 3), 60)
    if not whole:
        return f"{rest:.3f} s"
    hours, minutes = divmod(int(whole), 60)
    return f"{hours}:{minutes:02d}:{rest:06.3f}" if hours else f"{minutes}:{rest:06.3f}"


def _point(point: Sequence[float]) -> str:
    return ", ".join(f"{round(value / mm, 1) + 0.0:.1f}" for value in point)


def _lost(result: Result) -> str:
    if not result.lost:
        return ""
    body = "<p>These parts fell out of the cell, or fall with nothing below them.</p>"
    body += "<ul>" + "".join(f"<li>{escaped(name)}</li>" for name in result.lost[:_MOST]) + "</ul>"
    return html_section("Lost parts", body + _more(len(result.lost), "part"))


def _moves(result: Result) -> str:
    rows = []
    for name, used in list(result.robots.items())[:_MOST]:
        totals = figures.move_totals(result.record, name, result.outcome.time)
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.kinds.items()))
        longest = totals.longest
        rows.append(
            [
                name,
                str(used.cycles),
                kinds or "–",
                f"{used.time:.3f} s",
                f"{totals.distance:.3f} m",
                f"{totals.top_speed / mm:.1f} mm/s",
                "–" if longest is None else f"{longest.duration:.3f} s, {longest.kind} to {longest.target}",
            ]
        )
    if not rows:
        return ""
    head = ["Robot", "#Moves", "Kinds", "#In motion", "#TCP distance", "#TCP top speed", "Longest move"]
    return html_section("Moves", html_table(head, rows) + _more(len(result.robots), "robot"))


# ---------------------------------------------------------------- timing diagram


def _timing(result: Result, window: tuple[int, int] | None, signals: Sequence[str] | None) -> str:
    if not result.outcome.time and window is None:
        return ""
    shown = timing_diagram(result.record, result.outcome.time, window=window, signals=signals)
    if not shown.svg:
        return ""
    # The text gives the time range to the millisecond.
    words = f"{_clock(seconds(shown.start))} to {_clock(seconds(shown.end))}: {shown.why}."
    left = " In grey blocks, the changes are too close together to draw one by one." if shown.dense else ""
    if shown.left_out:
        names = ", ".join(shown.left_out[:12]) + (" …" if len(shown.left_out) > 12 else "")
        left += f" Not enough room for {_count(len(shown.left_out), 'more row')}: {names}."
    if shown.constant:
        left += f" Not shown: {_count(shown.constant, 'signal')} that did not change."
    return html_section(
        "Timing diagram",
        f'<figure><div class="wide">{shown.svg}</div><figcaption>{escaped(words + left)}</figcaption></figure>',
    )


# ---------------------------------------------------------------- pieces


def html_section(title: str, body: str) -> str:
    """Return a section of a report; the title is plain text, the body is HTML whose texts are escaped."""
    return f"<section><h2>{escaped(title)}</h2>{body}</section>"


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. A column whose head begins with ``#`` holds numbers, one with ``~`` a drawing, which is not escaped."""
    marks = [name[:1] if name[:1] in ("#", "~") else "" for name in head]
    names = [name[len(mark) :] for name, mark in zip(head, marks, strict=True)]
    classes = {"#": ' class="num"', "~": ' class="draw"', "": ""}
    written: dict[str, Callable[[str], str]] = {"#": escaped, "": escaped, "~": str}
    top = "".join(f"<th{classes[mark]}>{escaped(name)}</th>" for name, mark in zip(names, marks, strict=True))
    lines = "".join(
        "<tr>"
        + "".join(f"<td{classes[mark]}>{written[mark](cell)}</td>" for cell, mark in zip(row, marks, strict=True))
        + "</tr>"
        for row in rows
    )
    fit = ' class="fit"' if set(marks) == {"#"} else ""
    return f'<div class="wide"><table{fit}><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _more(count: int, what: str, shown: int = _MOST, plural: str = "") -> str:
    """Return the note about rows that a table does not show."""
    if count <= shown:
        return ""
    rest = _count(count - shown, f"more {what}", f"more {plural or f'{what}s'}")
    return f'<p class="note">And {rest}.</p>'


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _foot(result: Result) -> str:
    journal = f" Journal SHA-256: <code>{escaped(result.journal_hash)}</code>." if result.journal_hash else ""
    return (
        "<footer><p>Written by drycell from one deterministic run: the same cell, settings, programs, seed, external "
        f"requests and version give the same page.{journal}</p></footer>"
    )


# The style suits a light background, paper (A4) and phones.
_STYLE: Final = """
:root { --ink: #1c2733; --soft: #5d6a78; --line: #d8dee5; --pale: #f4f6f8; --main: #1f5f8b; --good: #23744a;
  --bad: #b3261e; --warn: #8a5a00; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; color-scheme: light; }
body { margin: 0; background: #fff; color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, footer { max-width: 1000px; margin: 0 auto; padding: 0 20px; }
main > * { margin: 0 0 30px; }
header { padding-top: 28px; }
.kicker { margin: 0; color: var(--main); font-size: 12px; font-weight: 600; letter-spacing: .08em;
  text-transform: uppercase; }
h1 { margin: 0 0 10px; font-size: 30px; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; padding-bottom: 5px; border-bottom: 2px solid var(--ink); font-size: 19px; line-height: 1.3; }
h3 { margin: 20px 0 6px; font-size: 15px; }
p { margin: 0 0 10px; }
.note, figcaption, footer { color: var(--soft); font-size: 13px; }
.verdict { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 16px; }
.pill { padding: 3px 12px; border-radius: 99px; color: #fff; font-size: 14px; font-weight: 600; }
.pill.good { background: var(--good); }
.pill.bad { background: var(--bad); }
.pill.warn { background: var(--warn); }
.pill.plain { background: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px 24px; margin: 0; }
.facts dt { color: var(--soft); font-size: 12px; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
section figure { margin: 0; }
figcaption { margin-top: 6px; }
.picture { border: 1px solid var(--line); border-radius: 6px; padding: 10px; text-align: center; }
.picture img { max-width: 100%; max-height: 560px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; }
.card { padding: 12px 14px; border: 1px solid var(--line); border-radius: 6px; background: var(--pale);
  overflow-wrap: anywhere; }
.card b { display: block; font-size: 24px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card span { display: block; font-weight: 600; font-size: 13px; }
.card small { display: block; color: var(--soft); font-size: 12px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 20px; margin-top: 14px; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; margin: 0 0 10px; font-size: 14px; }
table.fit { width: auto; }
table.fit th, table.fit td { padding-right: 34px; }
th { text-align: left; color: var(--soft); font-size: 12px; font-weight: 600; vertical-align: bottom; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
td { vertical-align: middle; overflow-wrap: break-word; max-width: 22em; }
.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.num:first-child { text-align: left; }
.num + :not(.num) { padding-left: 16px; }
.draw { width: 1%; }
ul { margin: 0 0 10px; padding-left: 22px; }
code { overflow-wrap: anywhere; font-size: 12px; }
footer { padding-bottom: 30px; }
svg { display: block; max-width: 100%; height: auto; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  fill: var(--ink); }
svg .mid { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .axis, svg .small { fill: var(--soft); }
svg .small { font-size: 10px; }
svg .in { font-size: 10px; }
svg .group { fill: var(--soft); font-weight: 600; }
.bar, .spark { flex: none; max-width: none; }
.rail { fill: #e6eaee; }
.fill, .area, .use { fill: #6d9fc4; }
.base, .grid { fill: none; stroke: var(--line); }
.band { fill: #dbe8f2; }
.line { fill: none; stroke: var(--main); stroke-width: 1.8; }
.l0 { stroke: #1f5f8b; } .l1 { stroke: #b3561e; } .l2 { stroke: #23744a; }
.l3 { stroke: #7a4b9c; } .l4 { stroke: #8a5a00; } .l5 { stroke: #5d6a78; }
.pale { stroke-opacity: .25; stroke-width: 4; }
.mean { fill: none; stroke: var(--bad); stroke-dasharray: 5 3; }
.dots { fill: none; stroke: var(--main); stroke-width: 5; stroke-linecap: round; stroke-opacity: .7; }
.timing { min-width: 720px; width: 100%; }
.wave { fill: none; stroke: var(--main); stroke-width: 1.3; }
.on { fill: #dbe8f2; }
.idle { fill: #edf0f3; }
.bad { fill: #e0857f; }
.wait { fill: #f2d9a4; }
.many { fill: #aab4be; }
.mark { fill: var(--good); }
.hit { fill: none; stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 2; }
.hitbox { fill: var(--bad); }
.s0 { fill: #a9d3b8; } .s1 { fill: #c9bde3; } .s2 { fill: #f0c3a0; }
.s3 { fill: #a8d8dc; } .s4 { fill: #e3b9cf; } .s5 { fill: #d5d8a0; }
@media (max-width: 600px) {
  main, footer { padding: 0 14px; }
  h1 { font-size: 24px; }
  .facts, .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  table { min-width: 480px; }
}
@page { size: A4; margin: 14mm; }
@media print {
  body { font-size: 10.5pt; }
  main, footer { max-width: none; padding: 0; }
  header { padding-top: 0; }
  main > * { margin-bottom: 8mm; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  table, figure, svg, .card, .cards, .pair, tr, dl { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  h2 + p, h3 + p { break-after: avoid; }
  .wide { overflow: visible; }
  .timing { min-width: 0; }
  .picture img { max-height: 95mm; }
  table { font-size: 9pt; }
}
"""
