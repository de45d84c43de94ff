"""The arguments of ``drycell picture`` and ``drycell film`` that choose what the camera sees."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from drycell.base import DrycellError, UnknownName

if TYPE_CHECKING:
    from drycell.pictures import Camera
    from drycell.world import LiveBody, World


class PictureView(NamedTuple):
    """A camera, the bodies that it fits into the picture (None: all), and the theme of the picture."""

    camera: "Camera"
    framed: "tuple[LiveBody, ...] | None"
    theme: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--view", default="iso", help="iso, iso-back, front, back, left, right or top (default: iso)")
    parser.add_argument("--zoom", type=float, default=1.0, help="zoom factor (default: 1, which shows everything)")
    parser.add_argument("--look-at", metavar="BODY", help="the body in the middle of the picture (default: all of it)")
    parser.add_argument("--fit", action="store_true", help="come so close that the body of --look-at fills the picture")
    parser.add_argument("--theme", default="light", help="light or dark (default: light)")


def check(options: argparse.Namespace) -> None:
    """Raise if arguments contradict each other; call it before a long run."""
    from drycell.pictures import Camera, check_theme

    Camera(options.view, options.zoom)
    check_theme(options.theme)
    if options.fit and options.look_at is None:
        raise DrycellError("--fit needs a body", hint="add --look-at BODY; without either, everything is shown")


def view_of(options: argparse.Namespace, world: "World", bodies: "Sequence[LiveBody]", t: int) -> PictureView:
    """Return what the camera sees.

    Args:
        options: The arguments.
        world: The world.
        bodies: The bodies that can be named.
        t: The instant at which the body to look at is in the middle, in ticks.

    Raises:
        UnknownName: There is no such body.
        DrycellError: The body has no shape, or is not in the cell at that instant.
    """
    from drycell.pictures import Camera

    camera = Camera(options.view, options.zoom)
    name = options.look_at
    if name is None:
        return PictureView(camera, None, options.theme)
    named = [body for body in bodies if body.name == name or body.name.startswith(f"{name}/")]
    if not named:
        raise UnknownName("body", name, [body.name for body in bodies])
    wanted = tuple(body for body in named if body.exists(t) and body.shape is not None and not body.hole)
    if not wanted and not all(body.shape is None for body in named):
        raise DrycellError(f"{name!r} is not in the cell at {t * 1e-6:g} s", hint="choose another --at")
    places = [
        world.pose(body, t).point(corner)
        for body in (wanted or named)
        for corner in (((0.0, 0.0, 0.0),) if body.shape is None else body.shape.bounds)
    ]
    if options.fit:
        return PictureView(camera, wanted or tuple(named), options.theme)
    x, y, z = (0.5 * (np.min(places, axis=0) + np.max(places, axis=0))).tolist()
    return PictureView(replace(camera, focus=(x, y, z)), None, options.theme)
