"""Measures drycell against the libraries it uses and their alternatives, side by side in one run.

Most figures are ratios, which are comparable between machines. The limit of each figure is what drycell promises.
The development set-up installs the other libraries. Run `make bench`, or `make bench-studio` for the studio.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from drycell.base import UnknownName


@dataclass(frozen=True, slots=True)
class Subject:
    """One figure: its function, its description and its limit."""

    module: str
    text: str
    sense: Literal["at least", "at most"]
    limit: float

    def measure(self, name: str) -> float:
        """Run the benchmark, which takes seconds."""
        function: Callable[[], float] = getattr(import_module(f"benchmarks.{self.module}"), name)
        return function()

    def holds(self, figure: float) -> bool:
        """Whether a figure is within the limit."""
        return figure >= self.limit if self.sense == "at least" else figure <= self.limit


SUBJECTS = {
    "kernel_vs_simpy": Subject("kernel", "events/s of 10 blocking programs over SimPy's generators", "at least", 1.0),
    "tickers_vs_simpy": Subject("kernel", "samples/s of 1000 equal tickers over SimPy's processes", "at least", 8.0),
    "crashcheck_vs_coal": Subject("world", "collision check of an arm over the bare coal calls", "at most", 2.0),
    "ik_vs_eaik": Subject(
        "kinematics", "inverse kinematics with choice and verification over bare EAIK", "at most", 3.0
    ),
    "arm_vs_wall": Subject("world", "cell time over wall time, an arm at full duty, 280 pairs", "at least", 1000.0),
    "far_bodies_slowdown": Subject("world", "time with 200 more bodies out of reach over without", "at most", 1.05),
    "ray_vs_pybullet": Subject(
        "sensors", "a sample of 5 lines among 100 moving bodies: PyBullet's time over drycell's", "at least", 1.0
    ),
    "sensors_vs_wall": Subject(
        "sensors", "cell time over wall time, 1000 sensors at 10 Hz among 200 bodies", "at least", 10.0
    ),
    "emula_vs_wall": Subject(
        "emula", "cell time over wall time, the paper's program, collision checks on", "at least", 1000.0
    ),
    "cell_vs_wall": Subject(
        "cell", "cell time over wall time, 30 min of the event cell, sensors and collision checks on", "at least", 500.0
    ),
    "campaign_efficiency": Subject(
        "campaign", "CPU time of 24 serial runs of 1 to 2 s over that of a campaign with two workers", "at least", 0.9
    ),
    "campaign_overhead_ms": Subject(
        "campaign", "CPU time of a campaign per run beyond the run itself, 1000 short runs", "at most", 20.0
    ),
    "learn_steps_per_s": Subject(
        "learn", "learning steps per second of the slowest architecture, evaluations included", "at least", 50.0
    ),
    "cell_vs_mujoco": Subject(
        "cell",
        "cell time over wall time, over that of MuJoCo with the same arm, machines and free parts, steps of 2 ms",
        "at least",
        10.0,
    ),
    "gym_vs_wall": Subject(
        "learn", "robot time over wall time, the slowest Gymnasium environment, random actions", "at least", 1000.0
    ),
    "trays_vs_wall": Subject(
        "trays", "cell time over wall time, 1000 trays on a loop with 40 spurs", "at least", 300.0
    ),
    "drop_ms": Subject("drop", "ms of CPU time of the drop of a box that tumbles", "at most", 5.0),
    "drop_64gon_ms": Subject("drop", "ms of CPU time of the drop of a prism with 64 sides", "at most", 25.0),
    "resting_ms_per_s": Subject(
        "drop", "ms of CPU time per second of cell time that 2,000 parts at rest in bins add", "at most", 0.1
    ),
    "load_60_ms": Subject("load", "ms of CPU time to read a cell file with 60 things", "at most", 12.0),
    "looks_tessellate_s": Subject("looks", "s of CPU time to make the looks of the demo cell", "at most", 0.6),
    "scene_mb": Subject("looks", "MB of looks that the page gets for the demo cell", "at most", 4.0),
    "device_status_ms": Subject(
        "effector", "ms of a status request to an end effector in its own process, the slower framing", "at most", 1.0
    ),
}

# These open the studio in Chromium. They run only if named, or all of them with `studio`.
STUDIO = {
    "studio_first_picture_s": Subject(
        "studio", "seconds from the command to the first picture of the demo cell", "at most", 3.0
    ),
    "studio_idle_cpu": Subject(
        "studio", "% of a core for server, host and browser while the demo cell is shown at rest", "at most", 8.0
    ),
    "studio_cpu": Subject(
        "studio", "% of a core for the server alone, 102 moving bodies, 30 frames/s", "at most", 15.0
    ),
    "studio_drag_p95_ms": Subject(
        "studio",
        "ms from the pointer event that drags a body to the arrival of the answer, 95th percentile",
        "at most",
        50.0,
    ),
    "studio_scrub_p95_ms": Subject(
        "studio",
        "ms from the pointer event on the scrubber to the arrival of its frame, 95th percentile",
        "at most",
        50.0,
    ),
    "studio_fps": Subject(
        "studio", "frames/s of the demo cell in software, as the eye turns or a recording plays", "at least", 20.0
    ),
    "studio_paced_fps": Subject(
        "studio", "frames/s of the demo cell in software, during a paced run", "at least", 12.0
    ),
    "studio_refined_s": Subject(
        "studio", "seconds at rest until the picture of the demo cell is refined", "at most", 6.0
    ),
    "studio_open_8h_s": Subject("studio", "seconds to open a recording of 8 hours", "at most", 2.0),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the figures. The exit code is 2 if a figure is past its limit."""
    known = {**SUBJECTS, **STUDIO}
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "figures", metavar="FIGURE", nargs="*",
        help=f"which (default: all but the studio's): {', '.join(SUBJECTS)}; studio: {', '.join(STUDIO)}",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one flat JSON object of the figures")
    options = parser.parse_args(arguments)
    wanted = [each for name in options.figures for each in (STUDIO if name == "studio" else [name])]
    for name in wanted:
        if name not in known:
            parser.exit(1, f"{UnknownName('figure', name, [*known, 'studio'])}\n")  # 2 is for figures past their limits
    figures: dict[str, float] = {}
    for name in wanted or SUBJECTS:
        subject = known[name]
        if not options.json:
            print(f"{name:<22}", end=" ", flush=True)
        try:
            figures[name] = round(subject.measure(name), 3)
        except ModuleNotFoundError as missing:
            text = f"skipped: {missing.name} is not installed; it comes with the development set-up"
            print(f"{name}: {text}" if options.json else text, file=sys.stderr if options.json else sys.stdout)
            continue
        if not options.json:
            verdict = "" if subject.holds(figures[name]) else "   PAST ITS LIMIT"
            print(f"{figures[name]:>10.2f}   {subject.sense} {subject.limit:g}{verdict}   {subject.text}")
    if options.json:
        print(json.dumps(figures))
    return 0 if all(known[name].holds(figure) for name, figure in figures.items()) else 2


if __name__ == "__main__":
    sys.exit(main())
