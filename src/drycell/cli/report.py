"""Summarise a recorded run on one self-contained HTML page that you can email, print or attach to a CI job.

The page has a picture of the cell, key figures, collisions, cycle times, utilisation, waits, moves and a timing
diagram. The diagram shows the last cycles, or the time around the first collision; --from, --to and --signals select
another range or other signals. The picture is a line drawing of the cell at the end of the run, or at the first
collision; --picture replaces it.


examples:
  drycell run examples/30_event_cell --until 1h --record out/demo.dry
  drycell report out/demo.dry                                     writes out/demo.html
  drycell report out/demo.dry -o out/start.html --from 0s --to 3min --signals "machine1.*,sensor1"
  drycell run examples/30_event_cell --until 1h --report out/demo.html     runs and reports in one command
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, file_to_write, parse, text_beside

if TYPE_CHECKING:
    from drycell.pictures import Camera


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell report``."""
    parser.add_argument("recording", metavar="RUN.dry", help="a recording, made with drycell run --record RUN.dry")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the page to write (default: RUN.html, beside the recording)"
    )
    parser.add_argument("--title", default="", help="title of the page (default: the name of the cell)")
    parser.add_argument(
        "--from", dest="start", metavar="T", help="start of the timing diagram, such as 90s (default: see above)"
    )
    parser.add_argument(
        "--to",
        dest="end",
        metavar="T",
        help="end of the timing diagram (default: see above; with --from, the end of the run)",
    )
    parser.add_argument(
        "--signals",
        metavar="A,B",
        help="signals to show in the timing diagram, separated by commas; * and ? are wildcards",
    )
    parser.add_argument("--picture", metavar="FILE", help="show this picture (PNG, JPEG or SVG) of the cell")
    parser.add_argument(
        "--view",
        default="iso",
        help="view of the drawing: iso, iso-back, front, back, left, right or top (default: iso)",
    )
    parser.add_argument(
        "--zoom", type=float, default=1.0, help="zoom factor of the drawing (default: 1, which shows everything)"
    )


def main(options: argparse.Namespace) -> int:
    """Write the report and return the exit code."""
    from drycell.pictures import Camera

    path = Path(options.recording)
    if path.suffix != ".dry":
        raise DrycellError(
            f"a report is made from a recording (.dry), not from {path}",
            hint=f"drycell run {path} --report FILE.html runs a cell and writes its report",
        )
    output = report_to_write(options.output or path.with_suffix(".html"))
    size = write_report(
        path,
        output,
        camera=Camera(options.view, options.zoom),
        picture=options.picture,
        title=options.title,
        start=None if options.start is None else parse(options.start, "time"),
        end=None if options.end is None else parse(options.end, "time"),
        signals=None if options.signals is None else [each.strip() for each in options.signals.split(",")],
    )
    print(f"report: {output} ({max(size // 1000, 1)} kB)")
    return 0


def report_to_write(path: str | Path) -> Path:
    """Check that a report can be written to this path, before the work is done."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise DrycellError(f"a report is an HTML page, not {target.name!r}", hint="use a name that ends in .html")
    return file_to_write(target)


def write_report(
    recording: str | Path,
    output: str | Path,
    *,
    camera: "Camera",
    picture: str | None = None,
    title: str = "",
    start: float | None = None,
    end: float | None = None,
    signals: list[str] | None = None,
) -> int:
    """Write the report of a recording and return its size in bytes; ``start`` and ``end`` are in seconds."""
    from drycell.kernel import ticks
    from drycell.pictures import draw_result
    from drycell.recording import Recording
    from drycell.report import html_report

    with Recording.open(recording) as run:
        window = None
        if start is not None or end is not None:
            window = (ticks(start or 0.0), run.duration if end is None else ticks(end))
        given = _picture(picture) if picture is not None else None
        drawn, caption = draw_result(run.result, run.bodies, camera) if given is None else (given, "The cell")
        settings = {f"Program {name}": file for name, file in run.header.programs.items()}
        settings |= {each.path: each.text for each in run.header.settings}
        page = html_report(
            run.result,
            title=title,
            picture=drawn,
            caption=caption,
            settings=settings,
            window=window,
            signals=signals,
        )
    with text_beside(output) as file:
        file.write(page)
    return len(page.encode())


def _picture(path: str) -> bytes | str:
    data = Path(path).read_bytes()
    if Path(path).suffix.lower() != ".svg":
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DrycellError(
            f"{path} is not an SVG drawing: byte {error.start} is not UTF-8", hint="give a PNG, JPEG or SVG file"
        ) from None
