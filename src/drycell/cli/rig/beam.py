"""``drycell rig beam SENSOR``: the response over distance and angle, drawn, written, and compared with measurements."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, deg, mm, parse
from drycell.cli.progress import share_bar

if TYPE_CHECKING:
    from drycell.pictures import Panel
    from drycell.rigs import Agreement, BeamResponse, BeamRig, BeamTarget
    from drycell.sensors import SensorModel

_MOST: Final = 400  # distances or angles
_GRID: Final = (48, 25)  # dots of the diagram, ahead and across


def main(options: argparse.Namespace) -> int:
    """Scan every point, print and write the results, and return the exit code."""
    from drycell.rigs import BeamRig, agreement, read_measured

    for name in ("distances", "angles"):
        if not 2 <= getattr(options, name) <= _MOST:
            raise DrycellError(f"--{name} is {getattr(options, name)}; use 2 to {_MOST}", hint=f"try --{name} 40")
    points = read_measured(options.compare) if options.compare else []
    model = sensor_of(options.sensor)
    beam = BeamRig(model, _target(options, model))
    widest = parse(options.widest, "angle") if options.widest else beam.widest
    if not 0.0 < widest <= 180 * deg:
        raise DrycellError(f"--widest is {widest / deg:g} deg but must be above 0 and at most 180 deg")
    distances = [beam.farthest * (number + 1) / options.distances for number in range(options.distances)]
    angles = [widest * (2 * number / (options.angles - 1) - 1) for number in range(options.angles)]
    with share_bar(f"beam of {model.name}") as progress:
        rows = beam.map(distances, angles, progress)
    with share_bar("area") as progress:
        places = beam.area(*_GRID, progress)
    with share_bar("comparison") as progress:
        found = agreement(beam, points, progress) if points else None

    print("\n".join(_said(beam, rows)))
    if found is not None:
        print("\n".join(_compared(found, options.compare, model.unit)))
    plot = Path(options.out) / f"beam-{model.name or 'sensor'}.svg"
    data = plot.with_suffix(".csv")
    _draw(plot, beam, rows, places, found)
    _write(data, rows)
    print(f"\n  plot      {plot}\n  data      {data}")
    return 0


def sensor_of(given: str) -> "SensorModel":
    """Return a sensor from the library by its name, or one from a file."""
    from drycell.sensors import load_sensor, sensor_from_file

    return sensor_from_file(given) if Path(given).suffix in (".yaml", ".yml") else load_sensor(given)


def _target(options: argparse.Namespace, model: "SensorModel") -> "BeamTarget":
    from drycell.rigs import BeamTarget, standard_target

    usual = standard_target(model)
    side = parse(options.target, "length") if options.target else usual.side
    if not 0.1 * mm <= side <= 10.0:
        raise DrycellError(f"--target is a plate of {side / mm:g} mm but must be 0.1 mm to 10 m", hint="try 100mm")
    return BeamTarget(side, options.material or usual.material, usual.facing)


def _said(beam: "BeamRig", rows: "Sequence[Sequence[BeamResponse]]") -> list[str]:
    from drycell.rigs import first_hole

    model, target = beam.model, beam.target
    unit = f" {model.unit}" if model.unit else ""
    lines = [
        f"sensor    {model.name}: {model.title}" if model.title else f"sensor    {model.name}",
        f"target    {target.material}, {target.side / mm:.4g} × {target.side / mm:.4g} mm, "
        f"{'facing the sensor' if target.facing else 'parallel to its face'}; distances and angles are of its middle",
        f"\n  {'off the axis':>12}  {'nearest':>10}  {'farthest':>10}  output there{unit and f', in{unit}'}",
    ]
    middle = len(rows) // 2
    for row in rows[middle :: max(1, middle // 6)]:
        name, span = f"{row[0].angle / deg + 0.0:.1f} deg", beam.span(row)
        if span is None:
            lines.append(f"  {name:>12}  not detected")
            continue
        values = [beam.response(distance, row[0].angle).value for distance in span]
        beyond = "≥" if span[1] == row[-1].distance else " "
        lines.append(
            f"  {name:>12}  {span[0] / mm:7.1f} mm {beyond}{span[1] / mm:7.1f} mm  {values[0]:g} … {values[1]:g}"
        )
    hole = first_hole(rows) if len(model.probe.lines) > 1 else None
    if hole is not None:
        lines.append(f"  from about {hole / mm:.0f} mm on the target slips between the sensor's lines at some angles")
    return lines


def _compared(found: "Agreement", file: str, unit: str) -> list[str]:
    point, response = found.worst
    unit = f" {unit}" if unit else ""
    return [
        f"\ncompared with {file}: {len(found.pairs)} points",
        f"  RMSE      {found.rmse:.4g}{unit}",
        f"  mean      {found.bias:+.4g}{unit} (model minus measurement)",
        f"  worst     {found.difference(point, response):+.4g}{unit} at {point.distance / mm:g} mm, "
        f"{point.angle / deg:g} deg: measured {point.value:g}, model {response.value:g}",
    ]


def _draw(
    path: Path,
    beam: "BeamRig",
    rows: "Sequence[Sequence[BeamResponse]]",
    places: Sequence[tuple[float, float]],
    found: "Agreement | None",
) -> None:
    from drycell.pictures import Panel, Series, save_plot

    ahead, across = [z / mm for z, _ in places], [x / mm for _, x in places]
    panels = [
        Panel(
            title=f"where a target of {beam.target.material}, {beam.target.side / mm:.4g} mm, is detected",
            x_label="ahead, mm",
            y_label="across, mm",
            series=[Series(ahead, across, "target's middle", "dots"), Series([0.0], [0.0], "sensor", "dots")],
            equal=True,
        ),
        _curves(beam, rows),
    ]
    if found is not None:
        values = [value for point, response in found.pairs for value in (point.value, response.value)]
        ends = [min(values), max(values)]
        panels.append(
            Panel(
                title=f"model against measurement, RMSE {found.rmse:.4g}",
                x_label="measured",
                y_label="model",
                series=[
                    Series([p.value for p, _ in found.pairs], [r.value for _, r in found.pairs], "points", "dots"),
                    Series(ends, ends, "equal", "dashed"),
                ],
            )
        )
    save_plot(path, panels, title=beam.model.title or beam.model.name, size=(7.2, 3.4))


def _curves(beam: "BeamRig", rows: "Sequence[Sequence[BeamResponse]]") -> "Panel":
    from drycell.pictures import Panel, Series

    middle = len(rows) // 2
    chosen = rows[middle :: max(1, math.ceil((len(rows) - middle) / 5))]
    unit = f", {beam.model.unit}" if beam.model.unit else ""
    return Panel(
        title="output over distance",
        x_label="distance, mm",
        y_label=f"output{unit}",
        series=[
            Series(
                [each.distance / mm for each in row],
                [each.value for each in row],
                f"{row[0].angle / deg + 0.0:.1f} deg off the axis",
                "line" if beam.model.kind == "real" and beam.model.type == "range" else "step",
            )
            for row in chosen
        ],
    )


def _write(path: Path, rows: "Sequence[Sequence[BeamResponse]]") -> None:
    from drycell.base import text_beside

    with text_beside(path) as file:
        file.write("distance_mm,angle_deg,value,detected\n")
        for each in (each for row in rows for each in row):
            file.write(f"{each.distance / mm:.6g},{each.angle / deg + 0.0:.6g},{each.value:.9g},{int(each.detected)}\n")
