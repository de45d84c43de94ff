"""List the sensors in the library, or show one: its data with sources, its response and its beam.

Pass the name of a sensor in the library, or your own file in the library's format. The plots show how the model
responds to a standard target, so that you can compare it with a data sheet.


examples:
  drycell sensors                                   prints a table of all sensors
  drycell sensors honeywell-942
  drycell sensors hc-sr04 --plot out/hc-sr04.svg --picture out/hc-sr04.png
  drycell sensors mine.yaml

in a cell file                                      in Python
  sensors:                                            cell.add("height", Sensor("honeywell-942", on="arm/flange"))
    height: {model: honeywell-942, on: arm/flange}
"""

import argparse
import math
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import deg, mm

if TYPE_CHECKING:
    from drycell.pictures import Panel
    from drycell.sensors import ResponseCurve, SensorModel

_WIDTH: Final = 100  # characters in a line of text
_ROOM: Final = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell sensors``."""
    parser.add_argument("sensor", metavar="NAME|FILE", nargs="?", help="a sensor from the library, or a sensor file")
    parser.add_argument("--plot", metavar="FILE", help="plot the response and the beam (.svg or .png)")
    parser.add_argument(
        "--picture",
        metavar="FILE",
        help="draw the sensing volume and its rays: shaded (.png, requires the `film` extra) or .svg",
    )


def main(options: argparse.Namespace) -> int:
    """Print the list or the sensor, and return the exit code."""
    from drycell.base import DrycellError

    if options.sensor is None:
        if options.plot or options.picture:
            raise DrycellError("--plot and --picture need a sensor", hint="drycell sensors NAME --plot FILE")
        _list()
        return 0
    model = _sensor(options.sensor)
    _show(model)
    if options.plot:
        _plot(model, options.plot)
        print(f"\nplotted: {options.plot}")
    if options.picture:
        from drycell.cli.sensor_picture import save_sensor_picture

        save_sensor_picture(model, options.picture)
        print(f"\ndrawn: {options.picture}")
    return 0


def _sensor(given: str) -> "SensorModel":
    from drycell.sensors import load_sensor, sensor_from_file

    named = Path(given)
    return sensor_from_file(named) if named.suffix in (".yaml", ".yml") or named.is_file() else load_sensor(given)


def _list() -> None:
    from drycell.cli.sensor_sheet import period_text, principle, range_text
    from drycell.sensors import load_sensor, sensor_names

    models = [(name, load_sensor(name)) for name in sensor_names()]
    rows = [
        (name, model.type, principle(model), range_text(model), period_text(model), model.title)
        for name, model in models
    ]
    # Only titles are cut on a narrow terminal, and nothing in a pipe or a file.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _ROOM
    table = [("name", "type", "principle", "range", "every", "title"), *rows]
    widths = [max(len(row[number]) for row in table) for number in range(5)]
    room = width - sum(widths) - 2 * len(widths)
    for row in table:
        aligned = [
            f"{text:>{most}}" if column in ("range", "every") else f"{text:<{most}}"
            for column, text, most in zip(table[0], row, widths, strict=False)
        ]
        title = row[-1]
        print(*aligned, title if len(title) <= room else f"{title[: max(room - 1, 0)]}…", sep="  ")
    print("\ndrycell sensors NAME shows a sensor")


def _show(model: "SensorModel") -> None:
    from drycell.cli.sensor_sheet import parameters
    from drycell.pictures import text_bars, text_curve
    from drycell.sensors import over_angle

    print(f"{model.name}: {model.title}" if model.title else model.name)
    print()
    for what, value in parameters(model):
        print(f"  {what:<15} {value}")
    response = _response(model)
    print(f"\nresponse to {response.target}")
    places = [place / mm for place in response.places]
    curve = text_curve(places, response.found, x_label=_across(model), y_label=model.unit or model.kind)
    print(textwrap.indent("\n".join(curve), "  "))
    if model.type in ("range", "proximity"):
        beam = over_angle(model)
        print(f"\nbeam: how far {beam.target}, is detected off the axis")
        rows = [(f"{angle / deg:.0f} deg", far / mm) for angle, far in zip(beam.places, beam.found, strict=True)]
        print(textwrap.indent("\n".join(text_bars(rows[::4], unit="mm")), "  "))
    if model.source:
        print()
        print(textwrap.fill(model.source, _WIDTH, initial_indent="source  ", subsequent_indent="        "))


def _response(model: "SensorModel") -> "ResponseCurve":
    from drycell.sensors import over_distance, over_force

    return over_force(model) if _at_a_wrist(model) else over_distance(model)


def _at_a_wrist(model: "SensorModel") -> bool:
    return model.type == "force" and not model.volumes


def _across(model: "SensorModel") -> str:
    return "mm that bodies overlap" if _at_a_wrist(model) else "mm from the sensor"


def _plot(model: "SensorModel", file: str) -> None:
    from drycell.pictures import Panel, Series, save_plot

    response = _response(model)
    places = [place / mm for place in response.places]
    switches = model.type in ("proximity", "contact")
    panels: list[Panel] = [
        Panel(
            title=f"response to {response.target}",
            x_label=_across(model),
            y_label=model.unit or model.kind,
            series=[Series(places, response.found, style="step" if model.kind == "integer" or switches else "line")],
        )
    ]
    if model.type in ("range", "proximity"):
        panels.append(_beam(model))
    save_plot(file, panels, title=f"{model.name}: {model.title}")


def _beam(model: "SensorModel") -> "Panel":
    from drycell.pictures import Panel, Series
    from drycell.sensors import over_angle

    beam = over_angle(model)
    seen = [(angle, far / mm) for angle, far in zip(beam.places, beam.found, strict=True) if not math.isnan(far)]
    along = [far * math.cos(angle) for angle, far in seen]
    across = [far * math.sin(angle) for angle, far in seen]
    return Panel(
        title=f"beam: where {beam.target}, is detected",
        x_label="mm along the axis",
        y_label="mm off the axis",
        series=[Series([0.0, *along, 0.0], [0.0, *across, 0.0], style="area")],
    )
