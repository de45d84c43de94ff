"""Saves a run as a picture, a film, tables or a report."""

import csv
import dataclasses
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from drycell.base import DrycellError, beside, file_to_write, text_beside
from drycell.kernel import clock_text
from drycell.record import Result
from drycell.studio.host.session import HostSession
from drycell.studio.host.tables import tables

ENDINGS: Final = (".dry", ".svg", ".png", ".mp4", ".gif", ".zip", ".html")
_ALL: Final = 1 << 40  # rows


def save_run(session: HostSession, path: Path, t: int) -> int:
    """Save a session's run; the extension of the name selects the format. Returns the size of the file in bytes."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise DrycellError(
            f"a run cannot be saved as {path.name!r}", hint=f"use a name that ends in {', '.join(ENDINGS)}"
        )
    if ending in (".svg", ".png"):
        _save_picture(session, path, t)
    else:
        result = _result(session)
        file_to_write(path)
        if ending == ".zip":
            _save_tables(session, path)
        elif ending == ".html":
            _save_report(session, result, path)
        else:
            _save_film(session, path)
    return path.stat().st_size


def _result(session: HostSession) -> Result:
    result = session.recording.result if session.recording is not None else session.result
    if result is None:
        raise DrycellError("the run has not ended", hint="wait until it ends, or stop it; a picture can be saved now")
    return result


def _save_picture(session: HostSession, path: Path, t: int) -> None:
    from drycell.pictures import LineDrawing, save_picture

    bodies = tuple(body for body in session.bodies if body.exists(t))
    if not any(body.shape is not None for body in bodies):
        raise DrycellError(
            f"there is nothing to draw: no body is in the cell at {clock_text(t)} s",
            hint="show another time, or save the recording or the tables",
        )
    if path.suffix.lower() == ".svg":
        drawing = LineDrawing(session.world)
        drawing.expose(t, bodies)
        drawing.save(path)
    else:
        save_picture(session.world, path, at=t, bodies=bodies)


def _save_film(session: HostSession, path: Path) -> None:
    from drycell.pictures import save_film

    save_film(session.world, path, start=0, end=session.now, bodies=tuple(session.bodies))


def _save_report(session: HostSession, result: Result, path: Path) -> None:
    from drycell.pictures import Camera, draw_result
    from drycell.report import html_report

    drawn, caption = draw_result(result, session.bodies, Camera("iso"))
    page = html_report(result, picture=drawn, caption=caption)
    with text_beside(path) as file:
        file.write(page)


def _save_tables(session: HostSession, path: Path) -> None:
    """One CSV file for each table, with all rows. The names of the columns contain the units."""
    found = tables(session, session.now, _ALL)
    contents: dict[str, Sequence[Any]] = {
        "parts": found.parts.rows,
        "machines": found.machines,
        "longest_waits": found.longest_waits,
        "waits": found.waits,
        "cycle_times": found.cycle.rows,
        "stores_and_sinks": found.places,
        "collisions": found.encounters.rows,
        "sensors": found.sensors,
    }
    with beside(path) as pending, zipfile.ZipFile(pending, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in contents.items():
            # A fixed date: the same run gives the same bytes.
            archive.writestr(zipfile.ZipInfo(f"{name}.csv"), _csv(rows), zipfile.ZIP_DEFLATED)


def _csv(rows: Sequence[Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    if rows:
        names = [each.name for each in dataclasses.fields(rows[0])]
        writer.writerow(names)
        writer.writerows([_plain(getattr(row, name)) for name in names] for row in rows)
    return text.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(str(_plain(each)) for each in value)
    if isinstance(value, dict):
        return " ".join(f"{key}={each}" for key, each in value.items())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return ":".join(str(each) for each in dataclasses.astuple(value))
    return "" if value is None else value
