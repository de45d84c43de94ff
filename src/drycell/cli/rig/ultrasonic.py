"""``drycell rig ultrasonic``: the measured profile of an object with corners against the true one."""

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, mm, parse
from drycell.cli.rig.beam import sensor_of

if TYPE_CHECKING:
    from drycell.rigs import Cause, ScanPoint, SurfaceScan

_LABELS: Final[dict["Cause", str]] = {
    "axis": "measured",
    "beside": "measured, a line beside the axis was nearer",
    "lost": "measured, no echo along the axis",
    "nothing": "no echo at all (drawn below the table)",
}


def main(options: argparse.Namespace) -> int:
    """Scan the object, print the results by part, write plot and data, and return the exit code."""
    from drycell.rigs import scan

    speed, height, noise = (
        parse(options.speed, "speed"),
        parse(options.height, "length"),
        parse(options.noise, "length"),
    )
    if not 1 * mm <= speed <= 250 * mm:
        raise DrycellError(f"--speed is {speed / mm:g} mm/s, but the machine moves at 1 to 250 mm/s", hint="try 20mm/s")
    if not 0.0 <= noise <= 50 * mm:
        raise DrycellError(f"--noise is {noise / mm:g} mm but must be 0 to 50 mm", hint="try 0.5mm")
    model = sensor_of(options.sensor)
    found = scan(model, height=height, speed=speed, noise=noise, seed=options.seed)
    print(
        f"sensor    {model.name}, {height / mm:g} mm above the table, a sample every {model.every * 1000:g} ms, "
        f"noise {noise / mm:g} mm, seed {options.seed}"
    )
    print(
        f"machine   cmm at {speed / mm:g} mm/s: {len(found.soundings)} samples, "
        f"one every {speed * model.every / mm:.1f} mm\n"
    )
    print("\n".join(_table(found)))
    print("\n" + "\n".join(_flat(found)))
    print("\n" + "\n".join(_corners(found)))
    plot = Path(options.out) / "rig-ultrasonic.svg"
    data = plot.with_suffix(".csv")
    _draw(plot, found)
    _write(data, found.soundings)
    print(f"\n  plot      {plot}\n  data      {data}")
    return 0


def _table(found: "SurfaceScan") -> Iterator[str]:
    from drycell.rigs import STRETCHES, stretch_at

    yield (
        f"  {'part':<12} {'from–to, mm':>12} {'height, mm':>11} {'samples':>8}   error, mm: mean, least … most   "
        "axis, beside, lost, nothing"
    )
    for stretch in STRETCHES:
        over = [each for each in found.soundings if stretch_at(each.place) is stretch]
        errors = [each.error / mm for each in over if each.error is not None]
        said = f"{fmean(errors):+7.2f}, {min(errors):+7.2f} … {max(errors):+7.2f}" if errors else "no echo"
        counts = ", ".join(f"{sum(each.cause == cause for each in over):>3}" for cause in _LABELS)
        height = f"{stretch.first / mm:g}" if stretch.flat else f"{stretch.first / mm:g}–{stretch.last / mm:g}"
        yield (
            f"  {stretch.name:<12} {f'{stretch.start / mm:g}–{stretch.end / mm:g}':>12} {height:>11} {len(over):>8}   "
            f"{said:<31}   {counts}"
        )


def _flat(found: "SurfaceScan") -> Iterator[str]:
    clear = [each.error for each in found.undisturbed() if each.error is not None]
    if len(clear) < 2:
        yield "flat parts: fewer than two samples away from corners (try a lower --speed)"
        return
    sigma = found.model.noise.sigma
    yield (
        f"flat parts, no corner within the beam: {len(clear)} samples, mean error {fmean(clear) / mm:+.3f} mm, "
        f"standard deviation {pstdev(clear) / mm:.3f} mm"
    )
    yield (
        f"  the noise put in is {sigma / mm:.3f} mm, so the mean of as many samples lies within "
        f"±{3 * sigma / math.sqrt(len(clear)) / mm:.3f} mm (three deviations)"
    )


def _corners(found: "SurfaceScan") -> Iterator[str]:
    from drycell.rigs import CAUSES

    yield "source of a sample"
    for cause, text in CAUSES.items():
        count = sum(each.cause == cause for each in found.soundings)
        yield f"  {cause:<8} {count:>4}   {text}"
    worst = max((each for each in found.soundings if each.error is not None), key=lambda each: abs(each.error or 0.0))
    yield (
        f"  farthest off {(worst.error or 0.0) / mm:+.1f} mm, at {worst.place / mm:.0f} mm: "
        f"true {worst.true / mm:.1f}, measured {(worst.measured or 0.0) / mm:.1f} mm ({worst.cause})"
    )


def _draw(path: Path, found: "SurfaceScan") -> None:
    from drycell.pictures import Panel, Series, save_plot
    from drycell.rigs import STRETCHES

    places = [place / mm for each in STRETCHES for place in (each.start, each.end)]
    true = [(found.height - height) / mm for each in STRETCHES for height in (each.first, each.last)]
    series = [Series(places, true, "true distance below the sensor", "line")]
    for cause, label in _LABELS.items():
        shown = [each for each in found.soundings if each.cause == cause]
        if shown:
            y = [(found.height + 10 * mm if each.measured is None else each.measured) / mm for each in shown]
            series.append(Series([each.place / mm for each in shown], y, label, "dots"))
    wrong = [each for each in found.soundings if each.error is not None]
    panels = [
        Panel(
            title="distance from the sensor, measured and true (figure 27; the object is drycell's own)",
            x_label="place along the path, mm",
            y_label="distance, mm",
            series=series,
            y_range=(found.height / mm + 20, found.height / mm - 190),
        ),
        Panel(
            title="error",
            x_label="place along the path, mm",
            y_label="measured minus true, mm",
            series=[
                Series([each.place / mm for each in wrong], [(each.error or 0.0) / mm for each in wrong], style="line")
            ],
        ),
    ]
    save_plot(path, panels, title=found.model.title or found.model.name, size=(8.4, 3.6))


def _write(path: Path, soundings: "Sequence[ScanPoint]") -> None:
    from drycell.base import text_beside

    with text_beside(path) as file:
        file.write("place_mm,true_mm,measured_mm,before_noise_mm,cause\n")
        for each in soundings:
            measured, clean = ("" if v is None else f"{v / mm:.6g}" for v in (each.measured, each.clean))
            file.write(f"{each.place / mm:.6g},{each.true / mm:.6g},{measured},{clean},{each.cause}\n")
