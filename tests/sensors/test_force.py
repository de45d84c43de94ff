"""Force, torque and contact, against springs computed by hand."""

import math

import pytest

from drycell.base import IDENTITY, Pose, WorldError, mm
from drycell.geometry import Box
from drycell.sensors import Output, SensorModel, look
from drycell.sensors.force import beyond
from drycell.world import LiveBody, Scene, World

STIFF = 100 / mm  # N/m: 100 N/mm


class Now:
    now = 0


def table() -> Scene:
    """A table whose top is at z = 0."""
    world = World(Now())
    world.add(LiveBody("table", Box(1.0, 1.0, 0.1), material="steel"), None, Pose(0, 0, -0.05))
    return Scene(world)


def hand(scene: Scene, pose: Pose) -> LiveBody:
    """A flange and a sensor under it, 200 mm above what they press."""
    flange = scene.world.add(LiveBody("flange"), None, pose)
    return scene.world.add(LiveBody("wrist"), flange)


def block(scene: Scene, parent: LiveBody, depth: float, x: float = 0.0, name: str = "block") -> LiveBody:
    """A cube of 40 mm that reaches 200 mm below the flange and a depth into the table."""
    body = LiveBody(name, Box(0.04, 0.04, 0.04), material="aluminium")
    return scene.world.add(body, parent, Pose(x, 0, -0.2 + 0.02 - depth))


def force(measures: str = "force", **fields: object) -> SensorModel:
    return SensorModel(type="force", measures=measures, stiffness=STIFF, **fields)  # type: ignore[arg-type]


def test_a_block_pressed_a_twentieth_of_a_millimetre_into_a_table_reads_five_newtons() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    block(scene, wrist, 0.05 * mm)
    reading = look(force(), scene, wrist.pose, mount=wrist)
    assert reading.value == pytest.approx(5.0, abs=1e-4)
    assert reading.force == pytest.approx((0, 0, 5.0), abs=1e-4)
    assert reading.torque == pytest.approx((0, 0, 0), abs=1e-4)
    assert [body.name for body in reading.seen] == ["table"]
    assert reading.why == "force 0.000, 0.000, 5.000 N, from 'table'"


def test_nothing_pressed_reads_nothing() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    block(scene, wrist, -1 * mm)
    reading = look(force(), scene, wrist.pose, mount=wrist)
    assert (reading.value, reading.seen) == (0.0, ())


def test_a_block_beside_the_axis_turns_the_sensor() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    block(scene, wrist, 0.1 * mm, x=0.1)
    reading = look(force("ty"), scene, wrist.pose, mount=wrist)
    # 10 N upwards, 100 mm along x: r × F = (0.1, 0, -0.2) × (0, 0, 10) = (0, -1, 0) Nm.
    assert reading.torque == pytest.approx((0, -1.0, 0), abs=1e-3)
    assert reading.value == pytest.approx(-1.0, abs=1e-3)


def test_forces_are_seen_from_the_sensors_own_frame() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    block(scene, wrist, 0.05 * mm)
    turned = wrist.pose @ Pose.turn_y(math.pi / 2)  # its x axis looks down
    reading = look(force("fx"), scene, turned, mount=wrist)
    assert reading.value == pytest.approx(-5.0, abs=1e-4)


def test_bodies_attached_to_each_other_do_not_press_on_the_sensor() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.5))
    block(scene, wrist, 0.0)
    block(scene, wrist, 0.0, x=0.03, name="neighbour")  # 10 mm into the first
    assert look(force(), scene, wrist.pose, mount=wrist).value == 0.0


def test_weight_is_measured_on_request() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.5))
    block(scene, wrist, 0.0)
    reading = look(force("fz", weighs=True), scene, wrist.pose, mount=wrist)
    assert reading.value == pytest.approx(-2700 * 0.04**3 * 9.80665, abs=1e-9)


def test_a_sensor_that_carries_nothing_measures_the_body_beside_it_on_the_flange() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    flange = wrist.parent
    assert flange is not None
    gripper = block(scene, flange, 0.05 * mm)
    assert beyond(scene, wrist, 0) == [gripper]
    assert look(force(), scene, wrist.pose, ignore=[flange], mount=wrist).value == pytest.approx(5.0, abs=1e-4)


def test_a_limit_on_a_force_makes_a_switch() -> None:
    scene = table()
    wrist = hand(scene, Pose(0, 0, 0.2))
    block(scene, wrist, 0.05 * mm)
    for limit, on in ((4.9, True), (5.1, False)):
        model = force(output=Output(kind="boolean", above=limit))
        assert look(model, scene, wrist.pose, mount=wrist).value is on


def test_a_pad_feels_what_is_pressed_into_it() -> None:
    scene = table()
    pad = SensorModel(type="force", stiffness=STIFF, volume=Box(0.02, 0.02, 0.002))
    reading = look(pad, scene, Pose(0, 0, 0.0019) @ Pose.turn_x(math.pi))  # looks down, 0.1 mm into the table
    assert reading.value == pytest.approx(10.0, abs=1e-3)
    assert reading.force == pytest.approx((0, 0, -10.0), abs=1e-3)


# ---------------------------------------------------------------- contact


def test_a_contact_sensor_is_on_while_something_touches_its_pad() -> None:
    scene = table()
    pad = SensorModel(type="contact", volume=Box(0.02, 0.02, 0.001))
    down = Pose.turn_x(math.pi)
    assert look(pad, scene, Pose(0, 0, 0.001) @ down).value is True
    away = look(pad, scene, Pose(0, 0, 0.0011) @ down)
    assert (away.value, away.why) == (False, "nothing touches it")


def test_without_a_volume_the_sensors_own_body_is_the_pad() -> None:
    scene = table()
    button = scene.world.add(LiveBody("button", Box(0.01, 0.01, 0.01)), None, Pose(0.1, 0, 0.005))
    model = SensorModel(type="contact", output=Output(kind="integer"))
    reading = look(model, scene, button.pose, mount=button)
    assert (reading.value, reading.why) == (1, "touched by 'table'")
    scene.world.place(button, Pose(0.1, 0, 0.006))
    assert look(model, scene, button.pose, mount=button).value == 0


def test_a_contact_sensor_with_nothing_to_touch_is_refused() -> None:
    with pytest.raises(WorldError, match="neither a volume nor a body that could be touched"):
        look(SensorModel(type="contact", name="bump"), table(), IDENTITY)
