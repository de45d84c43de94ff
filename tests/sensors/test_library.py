"""The library: every sensor behaves in a scene as its file claims of the real one."""

import math
from collections.abc import Callable

import pytest

from drycell.base import Pose, deg, inch, mm
from drycell.geometry import Box, Cylinder
from drycell.sensors import Reading, SensorModel, load_sensor, look, over_distance, sensor_names
from drycell.sensors.response_curve import reach, standard_target
from drycell.world import LiveBody, Material, Scene, World

HARD = Material("hard", 7850, 0.4, 0.5, True, 0.0, 1e-6, 0.9, (1.0, 1.0, 1.0))


class Clock:
    now = 0


def scene(*bodies: tuple[LiveBody, Pose]) -> Scene:
    world = World(Clock())
    world.materials.add(HARD)
    for body, pose in bodies:
        world.add(body, None, pose)
    return Scene(world)


def before(name: str, distance: float, material: str = "hard", tilt: float = 0.0) -> Reading:
    """The reading of a library sensor in front of a plate, 4 m wide and rotated about x, at a distance on its axis."""
    plate = LiveBody("plate", Box(4.0, 4.0, 1.0), material=material)
    at = Pose(0.0, 0.0, distance) @ Pose.turn_x(tilt) @ Pose(0.0, 0.0, 0.5)
    return look(load_sensor(name), scene((plate, at)), Pose())


def alone(name: str) -> Reading:
    """The reading in an empty scene."""
    return look(load_sensor(name), scene(), Pose())


def rod_at(name: str, x: float, z: float, radius: float, material: str = "hard") -> Reading:
    """The reading with a rod along y at a position."""
    rod = LiveBody("rod", Cylinder(radius, 1.0), material=material)
    return look(load_sensor(name), scene((rod, Pose(x, 0.0, z) @ Pose.turn_x(math.pi / 2))), Pose())


def e3jk_through() -> None:
    assert alone("e3jk-through").value == 0.0
    assert rod_at("e3jk-through", 0.0, 4.9, 10 * mm, "glass").value == 5.0  # opacity does not matter
    assert rod_at("e3jk-through", 0.0, 5.1, 10 * mm).value == 0.0  # behind the receiver
    assert rod_at("e3jk-through", 11 * mm, 2.0, 10 * mm).value == 0.0


def e3jk_retro() -> None:
    assert (before("e3jk-retro", 2499 * mm).value, before("e3jk-retro", 2501 * mm).value) == (5.0, 0.0)


def e3jk_diffuse() -> None:
    assert (before("e3jk-diffuse", 299 * mm).value, before("e3jk-diffuse", 301 * mm).value) == (5.0, 0.0)
    # Black rubber reflects 5 % and white paper 90 %: 300 mm × √(0.05/0.9) = 70.7 mm.
    nearer, farther = (before("e3jk-diffuse", distance * mm, "rubber").value for distance in (70.0, 71.5))
    assert (nearer, farther) == (5.0, 0.0)


def tl_x5() -> None:
    assert (before("tl-x5", 4.9 * mm, "steel").value, before("tl-x5", 5.1 * mm, "steel").value) == (5.0, 0.0)
    assert before("tl-x5", 0.1 * mm, "beech").value == 0.0
    assert before("tl-x5", 4.0 * mm, "aluminium").value == 0.0
    model = load_sensor("tl-x5")
    plate = LiveBody("plate", Box(0.1, 0.1, 0.1), material="steel")
    held = look(model, scene((plate, Pose(0, 0, 5.2 * mm + 0.05))), Pose(), was_on=True)
    assert held.value == 5.0  # a switch that turned on at 5 mm turns off beyond 5.25 mm
    assert model.hysteresis <= 0.10


def e2k_x8() -> None:
    assert (before("e2k-x8", 7.9 * mm).value, before("e2k-x8", 8.1 * mm).value) == (True, False)
    assert before("e2k-x8", 7.9 * mm, "plastic").value is False
    assert before("e2k-x8", 1.0 * mm, "plastic").value is True


def honeywell_942() -> None:
    assert len(before("honeywell-942", 1.0).lines) == 5
    assert before("honeywell-942", 1250 * mm).value == pytest.approx(5.0)
    assert alone("honeywell-942").value == 10.0
    assert before("honeywell-942", 1.0, tilt=50 * deg).value == 10.0  # the echo goes elsewhere
    assert before("honeywell-942", 50 * mm).distance == 100 * mm


def polaroid_frank2() -> None:
    assert len(before("polaroid-frank2", 1.0).lines) == 2
    along = 1000 * mm * math.cos(7.5 * deg)  # the lines lean: a metre along them
    volts = 10 * (math.exp((1 - 100 / 200) ** 2) - 1)
    assert before("polaroid-frank2", along).value == pytest.approx(volts, abs=1e-6)
    assert before("polaroid-frank2", 334 * mm * math.cos(7.5 * deg)).value == 10.0  # full scale below 33.5 cm
    assert before("polaroid-frank2", 336 * mm * math.cos(7.5 * deg)).value < 10.0
    assert alone("polaroid-frank2").value == 10.0  # as it stands, not through the transfer function


def polaroid_6500() -> None:
    assert before("polaroid-6500", 100 * inch).value == 100
    assert before("polaroid-6500", 100.6 * inch).value == 101
    assert before("polaroid-6500", 200 * mm).value == 17
    assert (alone("polaroid-6500").value, before("polaroid-6500", 6478 * mm).value) == (255, 255)
    model = load_sensor("polaroid-6500")
    assert model.volumes[0].beam is not None
    assert 2 * model.volumes[0].beam.half_angle == pytest.approx(25 * deg)


def hc_sr04() -> None:
    assert before("hc-sr04", 1234 * mm).quantity == pytest.approx(1.234)
    assert (before("hc-sr04", 3999 * mm).value, before("hc-sr04", 4001 * mm).value) == (pytest.approx(3999), 6500)
    assert before("hc-sr04", 10 * mm).value == pytest.approx(20)


def gp2y0a21() -> None:
    assert before("gp2y0a21", 800 * mm).value == pytest.approx(0.4)
    assert before("gp2y0a21", 100 * mm).value == pytest.approx(2.3)
    assert before("gp2y0a21", 30 * mm).value < before("gp2y0a21", 60 * mm).value  # too near: reads as farther away
    assert before("gp2y0a21", 300 * mm, "rubber").value == before("gp2y0a21", 300 * mm, "plastic").value


def vl53l0x() -> None:
    assert before("vl53l0x", 700 * mm).value == 700
    assert (before("vl53l0x", 1999 * mm).value, alone("vl53l0x").value) == (1999, 8190)
    # 5 % thrown back: 2 m × √(0.05/0.88) = 476.7 mm.
    assert (before("vl53l0x", 476 * mm, "rubber").value, before("vl53l0x", 478 * mm, "rubber").value) == (476, 8190)


def infrared_frank2() -> None:
    assert (before("infrared-frank2", 149 * mm).value, before("infrared-frank2", 151 * mm).value) == (True, False)


def infrared_nomad() -> None:
    assert (before("infrared-nomad", 600 * mm).value, before("infrared-nomad", 620 * mm).value) == (24, 24)
    assert before("infrared-nomad", 254 * mm).value == 10
    assert alone("infrared-nomad").value == 24


def light_curtain() -> None:
    assert alone("light-curtain").value is True
    # A body 25 mm thick cannot pass between beams that are 20 mm apart, at any position.
    for x in range(-130, 131, 1):
        assert rod_at("light-curtain", x * mm, 3.0, 12.5 * mm).value is False
    assert rod_at("light-curtain", 10 * mm + 20 * mm, 3.0, 9 * mm).value is False
    assert rod_at("light-curtain", 20 * mm, 3.0, 9 * mm).value is True  # in the middle between two


def bumper() -> None:
    assert (before("bumper", 9 * mm).value, before("bumper", 11 * mm).value) == (True, False)


def limit_switch() -> None:
    assert (before("limit-switch", 1.4 * mm).value, before("limit-switch", 1.6 * mm).value) == (True, False)


def wrist_force() -> None:
    model = load_sensor("wrist-force")
    walled = scene((LiveBody("wall", Box(1, 1, 1), material="steel"), Pose(0, 0, 0.5)))
    mount = walled.world.add(LiveBody("mount"), None, Pose())
    walled.world.add(LiveBody("tool", Cylinder(5 * mm, 50 * mm)), mount, Pose(0, 0, 25 * mm))
    for depth, newtons in ((-1 * mm, 0.0), (0.25 * mm, 5.0), (1 * mm, 20.0), (20 * mm, 300.0)):
        walled.world.place(mount, Pose(0, 0, depth - 50 * mm))
        assert look(model, walled, walled.world.pose(mount), mount=mount).value == pytest.approx(newtons, abs=1e-6)


def tactile_pad() -> None:
    assert before("tactile-pad", 2.1 * mm).value == 0.0
    assert before("tactile-pad", 1.5 * mm).value == pytest.approx(2.5)
    assert before("tactile-pad", 0.0).value == pytest.approx(10.0)


def finger_beam() -> None:
    assert (alone("finger-beam").value, before("finger-beam", 50 * mm).value) == (False, True)


#                  facts, period in ms, and the reach in mm on its standard target
CLAIMS: dict[str, tuple[Callable[[], None], float, float]] = {
    "bumper": (bumper, 20, 10),
    "e2k-x8": (e2k_x8, 10, 8),
    "e3jk-diffuse": (e3jk_diffuse, 30, 300),
    "e3jk-retro": (e3jk_retro, 30, 2500),
    "e3jk-through": (e3jk_through, 30, 5000),
    "finger-beam": (finger_beam, 10, 100),
    "gp2y0a21": (gp2y0a21, 38.3, 800),
    "hc-sr04": (hc_sr04, 60, 4000),
    "honeywell-942": (honeywell_942, 350, 2500),
    "infrared-frank2": (infrared_frank2, 100, 150),
    "infrared-nomad": (infrared_nomad, 100, 610),
    "light-curtain": (light_curtain, 15, 7000),
    "limit-switch": (limit_switch, 5, 1.5),
    "polaroid-6500": (polaroid_6500, 100, 6477),
    "polaroid-frank2": (polaroid_frank2, 250, 2000),
    "tactile-pad": (tactile_pad, 5, 2),
    "tl-x5": (tl_x5, 3, 5),
    "vl53l0x": (vl53l0x, 33, 2000),
    "wrist-force": (wrist_force, 10, 0),
}


def test_every_sensor_of_the_library_is_held_to_something() -> None:
    assert sorted(CLAIMS) == sensor_names()
    assert len(CLAIMS) >= 15


@pytest.mark.parametrize("name", CLAIMS)
def test_a_sensor_does_what_its_data_sheet_says(name: str) -> None:
    facts, period, far = CLAIMS[name]
    facts()
    model = load_sensor(name)
    assert model.every == pytest.approx(period / 1000)
    assert reach(model) == pytest.approx(far * mm)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_sensor_says_what_it_is_and_where_its_figures_are_from(name: str) -> None:
    model = load_sensor(name)
    assert model.name == name
    assert 20 <= len(model.title) <= 100
    assert len(model.source) > 80
    assert "drycell's own" in model.source  # values without a source are marked as such


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in ("wrist-force",)])
def test_a_sensor_reading_differs_within_and_beyond_its_reach(name: str) -> None:
    model: SensorModel = load_sensor(name)
    survey = over_distance(model)
    inside = {value for place, value in zip(survey.places, survey.found, strict=True) if place < 0.9 * reach(model)}
    beyond = {value for place, value in zip(survey.places, survey.found, strict=True) if place > 1.05 * reach(model)}
    assert len(beyond) == 1
    assert inside - beyond
    assert standard_target(model).name in survey.target
