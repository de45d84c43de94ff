"""One shaded picture of the world at an instant, written as PNG."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from drycell.base import DrycellError, Vector, beside
from drycell.pictures.camera import Camera
from drycell.pictures.renderer import renderer
from drycell.pictures.stage import Stage
from drycell.world import LiveBody, World

_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")


def check_picture(path: str | Path) -> None:
    """Raises if no shaded picture can be written under this name: for whoever draws only after a long run."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise DrycellError(
            f"shaded pictures are PNG files, not {Path(path).name!r}",
            hint="let its name end in .png; line drawings (.svg) are made by LineDrawing and drycell picture",
        )
    renderer()


def save_picture(
    world: World,
    path: str | Path,
    *,
    at: int | None = None,
    camera: Camera | None = None,
    size: tuple[int, int] = (1280, 860),
    marks: Iterable[Vector] = (),
    bodies: Iterable[LiveBody] | None = None,
    clear: Iterable[LiveBody] = (),
) -> None:
    """Draws every body where it is at an instant (now, if none is given); ``marks`` are points to be shown in red.

    ``bodies`` are those in view, if not the ones that the world holds now; through ``clear`` ones the others are seen.
    """
    check_picture(path)
    instant = world.now if at is None else at
    there = [body for body in (world.bodies.values() if bodies is None else bodies) if body.exists(instant)]
    with Stage(world, there, size, smoothing="ssaa", clear=clear) as stage:
        stage.show(instant)
        stage.frame(camera or Camera(), [instant])
        stage.mark(marks, instant)
        with beside(path) as written:
            stage.save(written)
