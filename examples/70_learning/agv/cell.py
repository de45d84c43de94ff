"""An obstacle-avoiding vehicle in a busy cell, steered by a network that was trained in the virtual world.

weights.txt is the result of `drycell learn nomad --objective 1`, trained between bare walls. Here the same robot is a
body in a cell, with three of drycell's sonars. The hall has obstacles that the training did not have: a cabinet that
protrudes from the wall, and a belt on a plinth in the middle that brings parts to a bin.

Try: move the cabinet; put another one in the way of the vehicle; load the weights of table 37; use the weights of an
untrained network, and the protective field stops the vehicle.
"""

from pathlib import Path

from drycell import Body, Box, Cell, Conveyor, Sink, Source, mm, s
from drycell.learn import Agv, Driver, load_weights
from drycell.learn.controller import load_setup

LENGTH, WIDTH, HIGH, THICK = 8.0, 6.0, 1.2, 0.1
STEPS = 120


def build(cell: Cell) -> None:
    for name, size, at in (
        ("south", (LENGTH, THICK), (LENGTH / 2, -THICK / 2)),
        ("north", (LENGTH, THICK), (LENGTH / 2, WIDTH + THICK / 2)),
        ("west", (THICK, WIDTH), (-THICK / 2, WIDTH / 2)),
        ("east", (THICK, WIDTH), (LENGTH + THICK / 2, WIDTH / 2)),
        ("cabinet", (0.8, 1.0), (5.2, 0.5)),
    ):
        cell.add(name, Body(Box(*size, HIGH), material="paint", at=(*at, HIGH / 2)))
    cell.add("plinth", Body(Box(1.8, 0.6, 700 * mm), material="plastic", at=(4.0, 3.2, 350 * mm)))
    cell.add("belt", Conveyor(length=1.2, width=0.2, speed=100 * mm / s, end="fall", on="plinth", at=(-0.2, 0.0)))
    cell.add("feeder", Source(kinds=Box(80 * mm, 60 * mm, 40 * mm), on="belt", every=(8 * s, 12 * s)))
    cell.add("bin", Sink(shape=Box(0.4, 0.4, 20 * mm), on="plinth", at=(0.62, 0.0)))

    setup = load_setup(40)
    agv = Agv(cell, setup.model, setup.arrangement, (2.0, 0.8, 0.0), setup.inputs.values())
    driver = Driver(setup, load_weights(Path(__file__).parent / "weights.txt", setup), agv)
    cell.check_collisions([("agv", name) for name in ("south", "north", "west", "east", "cabinet", "plinth", "belt")])

    @cell.program
    def roam() -> None:
        turns, stops, way = 0, 0, 0.0
        for _ in range(STEPS):
            x, y, _heading = agv.place
            done = driver.act()
            way += abs(agv.place[0] - x) + abs(agv.place[1] - y)
            stops += done.stopped
            if done.action != "forward":
                turns += 1
                x, y, _heading = agv.place
                print(f"{cell.time:7.1f} s  x {x:4.2f} m  y {y:4.2f} m  {done.violated}: turns {done.action}")
        print(f"{way:.1f} m in {STEPS} steps, {turns} turns, stopped {stops} times")
        cell.kernel.stop("the vehicle has made its steps")
