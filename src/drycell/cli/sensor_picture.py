"""Pictures of a sensor with its volume and its trace-lines, shaded or as a line drawing."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drycell.base import DrycellError, Pose, align_z, mm
from drycell.geometry import Cylinder
from drycell.pictures import Camera, LineDrawing, save_picture
from drycell.sensors import SensorModel, extent
from drycell.world import LiveBody, Material, World

_BEAM: Final = Material("beam", 1, 0.0, 0.0, False, 0.0, 0.0, 1.0, (0.35, 0.62, 0.86))
_LINE: Final = Material("line", 1, 0.0, 0.0, False, 0.0, 0.0, 1.0, (0.80, 0.20, 0.15))
_CASE: Final = Material("case", 1, 0.0, 0.0, False, 0.0, 0.0, 1.0, (0.25, 0.28, 0.32))


@dataclass
class _Clock:
    """A clock that is set by hand: the volume exists at tick 0 and is gone at tick 1."""

    now: int = 0


def save_sensor_picture(model: SensorModel, path: str | Path) -> None:
    """Draw a sensor's volume and trace-lines: translucent and shaded (PNG), or in lines (SVG).

    The sensor looks to the right. A dark disc marks its position, not its size.
    """
    if model.type == "force" and not model.volumes:
        raise DrycellError(
            f"{model.name or 'this sensor'} measures forces: it has neither a volume nor trace-lines to draw",
            hint="plot its response instead (--plot)",
        )
    clock = _Clock()
    world = World(clock)
    for material in (_BEAM, _LINE, _CASE):
        world.materials.add(material)
    # Laid on its side: +z of the sensor is +x of the picture.
    lying = align_z((1.0, 0.0, 0.0))
    size = extent(model)
    case = Cylinder(size / 40, size / 30)
    world.add(LiveBody("sensor", case, material="case"), None, lying @ Pose(0.0, 0.0, -size / 60))
    volumes = [
        world.add(LiveBody(f"volume {number}", shape, material="beam"), None, lying @ pose)
        for number, (shape, pose) in enumerate(model.probe.volumes(1.0))
    ]
    for number, ((origin, direction), reach) in enumerate(zip(model.probe.lines, model.probe.reaches, strict=True)):
        line = Cylinder(max(size / 900, 0.001 * mm), reach)
        world.add(
            LiveBody(f"line {number}", line, material="line"),
            None,
            lying @ align_z(direction, origin) @ Pose(0.0, 0.0, reach / 2),
        )
    camera = Camera("iso")
    if Path(path).suffix.lower() != ".svg":
        save_picture(world, path, camera=camera, clear=volumes)
        return
    drawing = LineDrawing(world, camera=camera, title=model.title, caption=model.title)
    if volumes:
        drawing.expose(0, volumes, weight=0.5)
    clock.now = 1
    for body in volumes:
        world.remove(body)
    drawing.expose(1)
    drawing.save(path)
