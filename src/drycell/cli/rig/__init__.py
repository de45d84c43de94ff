"""Test sensors on virtual rigs, and compare them with published measurements.

photoelectric, inductive   a six-axis arm moves a tool past the sensor at three speeds, eight times each, while
                           another program samples it; prints a table with the residuals against tables 11 and 12 of
                           Eriksson (1996), and draws plots like figures 21 and 23
ultrasonic                 a measuring machine carries an ultrasonic sensor over an object with corners; prints and
                           draws the measured and the true profile, like figure 27, and the errors at the corners
beam                       a square plate is held at a grid of distances and angles; prints and draws how a sensor
                           responds to it, and the error against your measurements

examples:
  drycell rig photoelectric
  drycell rig inductive --seed 3 --out out/inductive
  drycell rig photoelectric --speeds 10,200@20 --length 120mm      other speeds, one sampled at 20 Hz, and another tool
  drycell rig ultrasonic --noise 1mm --speed 10mm/s
  drycell rig beam honeywell-942
  drycell rig beam gp2y0a21 --compare measured.csv                 columns: distance_mm, angle_deg, value

Plots (SVG) and data (CSV) are written to the folder given by --out, or to out/.
"""

import argparse

RIGS = {
    "photoelectric": "move a tool past a photoelectric sensor and compare with Eriksson's table 11",
    "inductive": "move a tool past an inductive sensor and compare with Eriksson's table 12",
    "ultrasonic": "carry an ultrasonic sensor over an object with corners",
    "beam": "measure the response of a sensor over distance and angle",
}

_PASSING = """\
A six-axis arm moves a steel tool back and forth past the sensor at the speeds of Eriksson's thesis (24, 42, 88 mm/s)
with its controller's accelerations, while another program samples the sensor at 2, 4 and 4 Hz. The command prints the
mean number of samples per pass, counted from the first that detects the tool to the last, next to the real and virtual
rows of the thesis.

The thesis does not give the tool's dimensions: one length is fitted to both tables, once for the published speeds
and once for 22, 44 and 88 mm/s; the command prints the residuals of both fits. --length overrides it."""

_TEXTS = {
    "photoelectric": _PASSING,
    "inductive": _PASSING,
    "ultrasonic": """\
A measuring machine carries the sensor over steps, a slope, a gap and a steep flank. The command prints the
deviation for each section of the object, and the source of each sample: the ray on the axis, another ray, or none if
the echo was lost.""",
    "beam": """\
A square plate is held at a grid of distances and angles in front of the sensor. The command prints the range in
which the sensor detects the plate, and the sensor's output there; with --compare, also the RMSE and the largest error
against your measurements, in the unit of the output.""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell rig``."""
    rigs = parser.add_subparsers(dest="rig", metavar="RIG", required=True)
    for name, text in RIGS.items():
        rig = rigs.add_parser(
            name, help=text, description=_TEXTS[name], formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name == "beam":
            _add_beam(rig)
        elif name == "ultrasonic":
            _add_ultrasonic(rig)
        else:
            _add_passing(rig)
        if name != "beam":
            rig.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random streams (default: 0)")
        rig.add_argument("--out", default="out", metavar="FOLDER", help="folder for plots and data (default: out)")


def main(options: argparse.Namespace) -> int:
    """Run the rig and return the exit code."""
    if options.rig == "beam":
        from drycell.cli.rig import beam

        return beam.main(options)
    if options.rig == "ultrasonic":
        from drycell.cli.rig import ultrasonic

        return ultrasonic.main(options)
    from drycell.cli.rig import passing

    return passing.main(options)


def _add_passing(rig: argparse.ArgumentParser) -> None:
    rig.add_argument(
        "--speeds",
        metavar="LIST",
        help="speeds in mm/s instead of those in the tables, such as 10,42,200@20; the sampling rate in Hz follows @ "
        "(default: 2 Hz below 30 mm/s, else 4 Hz, as in the tables)",
    )
    rig.add_argument("--passes", type=int, default=8, metavar="N", help="number of passes at each speed (default: 8)")
    rig.add_argument(
        "--length", metavar="L", help="length of the tool, such as 186mm, instead of the one fitted to the tables"
    )


def _add_ultrasonic(rig: argparse.ArgumentParser) -> None:
    rig.add_argument(
        "--sensor",
        default="honeywell-942",
        metavar="NAME",
        help="a range sensor, by name or file (default: honeywell-942)",
    )
    rig.add_argument("--speed", default="20mm/s", metavar="V", help="speed of the measuring machine (default: 20mm/s)")
    rig.add_argument(
        "--height", default="400mm", metavar="H", help="height of the sensor above the table (default: 400mm)"
    )
    rig.add_argument(
        "--noise", default="0.5mm", metavar="SIGMA", help="standard deviation of the measured distance (default: 0.5mm)"
    )


def _add_beam(rig: argparse.ArgumentParser) -> None:
    rig.add_argument("sensor", metavar="SENSOR", help="a sensor from the library (drycell sensors), or a sensor file")
    rig.add_argument(
        "--target", metavar="SIDE", help="side of the square plate, such as 100mm (default: depends on the sensor type)"
    )
    rig.add_argument("--material", metavar="NAME", help="material of the plate (default: depends on the sensor type)")
    rig.add_argument("--distances", type=int, default=40, metavar="N", help="number of distances (default: 40)")
    rig.add_argument("--angles", type=int, default=31, metavar="N", help="number of angles (default: 31)")
    rig.add_argument(
        "--widest",
        metavar="ANGLE",
        help="largest angle off the axis, such as 30deg (default: depends on the sensor's beam)",
    )
    rig.add_argument("--compare", metavar="FILE", help="a CSV file with the columns distance_mm, angle_deg, value")
