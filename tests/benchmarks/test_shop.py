"""The cell that ``sensors_vs_wall`` is measured on matches its description."""

from benchmarks.shop import BODIES, SENSORS, build


def test_the_shop_has_as_many_bodies_and_sensors_as_asked_for_and_they_see_something() -> None:
    cell = build()
    assert sum(body.shape is not None for body in cell.world.bodies.values()) == BODIES
    assert len(cell.sensors) == SENSORS
    assert {sensor.period for sensor in cell.sensors.values()} == {0.1}
    assert len({sensor.model.phase for sensor in cell.sensors.values()}) == 10
    assert {sensor.model.type for sensor in cell.sensors.values()} == {"range", "proximity", "contact"}
    cell.run(until=0.5)
    assert sum(len(sensor.history) > 1 for sensor in cell.sensors.values()) > 500
