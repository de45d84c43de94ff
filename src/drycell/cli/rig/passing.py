"""``drycell rig photoelectric`` and ``drycell rig inductive``: runs, tables and plots."""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, mm, parse
from drycell.cli.progress import share_bar
from drycell.rigs import PASSES, READINGS, TABLES, PassSetting

if TYPE_CHECKING:
    from drycell.pictures import Panel
    from drycell.rigs import Fit, Passing

SENSORS: Final = {"photoelectric": "e3jk-diffuse", "inductive": "tl-x5"}
FIGURES: Final = {"photoelectric": 21, "inductive": 23}

_MOST_PASSES, _MOST_SPEEDS = 1000, 12
_TOOL: Final = (5 * mm, 500 * mm)
_SPEED: Final = re.compile(r"(\d+\.?\d*)(?:\s*mm/s)?(?:@(\d+\.?\d*)(?:\s*Hz)?)?\Z", re.ASCII)

_READING: Final = """\
sets      one for each pass: the samples from its first detection to its last ("sets of detection–non detection");
          all averages of the tables are multiples of 1/8, and there were eight passes"""
_VERDICT: Final = """\
The tool's dimensions are lost. No single tool fits the printed speeds (worst {:.1f} samples); one does if they are read
as 22, 44, 88 mm/s (worst {:.1f}). drycell claims neither. Nothing is fitted to a row, a speed or a sensor. An average
can differ from length seen / mm per sample, because the sampling starts at a random time, which depends on --seed."""


@dataclass(frozen=True)
class PassingBlock:
    """The runs for one reading of the speeds, with the tool that fits it."""

    title: str
    fit: "Fit | None"
    passings: "list[Passing]"


def main(options: argparse.Namespace) -> int:
    """Run the rig at each speed, print the tables, write plot and data, and return the exit code."""
    from drycell.rigs import CLEAR, detection_width

    _check_passes(options.passes)
    with share_bar(f"{options.rig} rig") as progress:
        widths = {kind: detection_width(name) for kind, name in SENSORS.items()}
        width = widths[options.rig]
        blocks = list(_run(options, widths, progress or (lambda share: None)))
    print(
        f"sensor    {SENSORS[options.rig]}, which sees {width / mm:.1f} mm in addition to the tool, at half its reach"
    )
    print(
        f"arm       irb2000-like, {options.passes} passes back and forth, the tool {CLEAR / mm:g} mm clear at either "
        f"end, seed {options.seed}"
    )
    print(_READING)
    for block in blocks:
        print()
        _print_block(block, options, width)
    fits = [block.fit for block in blocks if block.fit is not None]
    if len(fits) == len(READINGS):
        print("\n" + _VERDICT.format(*(each.worst for each in fits)))
    plot = Path(options.out) / f"rig-{options.rig}.svg"
    data = plot.with_suffix(".csv")
    _draw(plot, options, blocks)
    _write(data, blocks)
    print(f"\n  plot      {plot}\n  data      {data}")
    return 0


def settings(text: str) -> tuple[PassSetting, ...]:
    """Parse speeds and sampling rates from a list such as ``10,42,200@20``."""
    found = []
    for part in text.split(","):
        match = _SPEED.match(part.strip())
        speed = float(match[1]) if match else 0.0
        rate = float(match[2]) if match and match[2] else 2.0 if speed < 30.0 else 4.0
        if not (1.0 <= speed <= 500.0 and 0.01 <= rate <= 1000.0):
            raise DrycellError(
                f"--speeds: {part.strip()[:40]!r} is not a speed of 1 to 500 mm/s (with @, a rate of 0.01 to 1000 Hz)",
                hint="write for example 24,42,88 or 10@2,200@20",
            )
        found.append(PassSetting(speed * mm, rate))
    if len(found) > _MOST_SPEEDS:
        raise DrycellError(f"--speeds has {len(found)} speeds; the limit is {_MOST_SPEEDS}", hint="give fewer speeds")
    return tuple(found)


def _run(
    options: argparse.Namespace, widths: dict[str, float], progress: Callable[[float], None]
) -> Iterator[PassingBlock]:
    from drycell.rigs import fit, pass_tool

    given = _tool(options.length) if options.length is not None else None
    fits = [fit(reading, widths) for reading in READINGS]
    wanted: list[tuple[str, Fit, Sequence[PassSetting]]]
    if options.speeds is not None:
        wanted = [("speeds as given", fits[0], settings(options.speeds))]
    else:
        wanted = [(found.reading.title, found, found.reading.settings) for found in fits]
    whole, done = sum(len(each) for _, _, each in wanted), 0
    for title, found, each in wanted:
        passings = []
        for setting in each:
            tool, width = found.tool if given is None else given, widths[options.rig]
            passings.append(
                pass_tool(SENSORS[options.rig], setting, tool, width, passes=options.passes, seed=options.seed)
            )
            done += 1
            progress(done / whole)
        yield PassingBlock(title, None if options.speeds is not None or given is not None else found, passings)


def _print_block(block: PassingBlock, options: argparse.Namespace, width: float) -> None:
    from drycell.rigs import columns, fit_text, sets_text

    tool = block.passings[0].tool
    how = "as given" if options.length is not None else "one for all twelve values of both tables"
    print(f"{block.title}: a tool of {tool / mm:.1f} mm ({how}), seen along {(tool + width) / mm:.1f} mm")
    table = None if options.speeds is not None else TABLES[options.rig]
    print("\n".join(sets_text(columns(block.passings, table), width)))
    if block.fit is not None:
        print("\n  that tool against both tables, from its length only, in samples")
        print("\n".join(fit_text(block.fit)))


def _draw(path: Path, options: argparse.Namespace, blocks: Sequence[PassingBlock]) -> None:
    from drycell.pictures import save_plot

    panels = [panel for row in zip(*([*_panels(block)] for block in blocks), strict=True) for panel in row]
    title = f"{options.rig} sensor, samples from the middle of the run (figure {FIGURES[options.rig]}; only drycell's)"
    save_plot(path, panels, title=title, columns=len(blocks), size=(6.4, 2.2))


def _panels(block: PassingBlock) -> "Iterator[Panel]":
    from drycell.pictures import Panel, Series

    for passing in block.passings:
        shown = passing.middle
        setting = passing.setting
        x, y = list(range(1, len(shown) + 1)), [each.value for each in shown]
        yield Panel(
            title=f"{setting.speed / mm:g} mm/s, {setting.rate:g} Hz: {passing.average:.3f} samples a set",
            x_label="sample",
            y_label="output, V",
            series=[Series(x, y, style="step"), Series(x, y, style="dots")],
            y_range=(-0.5, 6.0),
        )


def _write(path: Path, blocks: Sequence[PassingBlock]) -> None:
    from drycell.base import text_beside

    with text_beside(path) as file:
        file.write("tool_mm,speed_mm_s,rate_hz,time_s,value\n")
        for passing in (passing for block in blocks for passing in block.passings):
            head = f"{passing.tool / mm:.3f},{passing.setting.speed / mm:g},{passing.setting.rate:g}"
            file.writelines(f"{head},{each.time:.6f},{each.value:g}\n" for each in passing.samples)


def _check_passes(passes: int) -> None:
    if not 1 <= passes <= _MOST_PASSES:
        raise DrycellError(f"--passes is {passes} but must be 1 to {_MOST_PASSES}", hint=f"the tables have {PASSES}")


def _tool(text: str) -> float:
    tool = parse(text, "length")
    if not _TOOL[0] <= tool <= _TOOL[1]:
        raise DrycellError(
            f"--length: a tool of {tool / mm:g} mm is outside {_TOOL[0] / mm:g} to {_TOOL[1] / mm:g} mm",
            hint="omit it to use the one that fits the tables best",
        )
    return tool
