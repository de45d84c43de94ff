"""Looks of sensors: a housing for each family, with a lens or face, a bracket, a cable and a lamp.

A sensor looks along +z from its origin, so its housing is behind it, at −z. A sensor has no body unless it is given a
shape: all housings stay within 30 mm of the origin, but for their cables.
"""

import math
from collections.abc import Callable
from typing import Any, Final

from drycell.looks import (
    OWN,
    QUARTER,
    Channel,
    FixedValue,
    Look,
    LookPart,
    SignalValue,
    bolt,
    box,
    cable,
    circle,
    cylinder,
    extrude,
    glow,
    lamp,
    piece,
    placed,
    revolve,
    rounded,
    tube,
)
from drycell.sensors.model import SensorModel

Parts = list[LookPart]


def housing(model: SensorModel, rest: Any, shaped: bool) -> Look:
    """Return the look of a sensor.

    Args:
        model: The sensor.
        rest: What it publishes while it detects nothing; its lamp shows that it publishes something else.
        shaped: Whether its body has a shape of its own, which then is its housing.
    """
    channels = {"seen": glow("amber", SignalValue(rest=float(rest))), "power": glow("green", FixedValue())}
    if shaped:
        return Look((piece(OWN, "plastic", tint="dark"),))
    parts = _family(model)(model)
    named = {each.channel for each in parts}
    kept: dict[str, Channel] = {name: each for name, each in channels.items() if name in named}
    return Look(tuple(parts), kept)


def _family(model: SensorModel) -> Callable[[SensorModel], Parts]:
    own = _BY_NAME.get(model.name)
    if own is not None:
        return own
    if model.type == "contact":
        return _switch
    if model.type == "force":
        return _pad if model.volumes else _force_ring
    if model.senses in ("metal", "dielectric"):
        return _barrel
    if model.senses == "sound":
        return _transducer
    return _board if model.type == "range" else _photo_eye


def _photo_eye(model: SensorModel) -> Parts:
    """A photoelectric sensor: a block with two lenses, two lamps, an angle of sheet steel and a cable."""
    parts = [
        piece(box(0.012, 0.030, 0.022, 0.0018), "plastic", (0, 0, -0.0125), tint="#2d3238"),
        piece(box(0.010, 0.020, 0.0012, 0.0006), "lens", (0, 0.002, -0.001)),
        lamp(box(0.006, 0.0014, 0.0065, 0.0004), "seen", (0, 0.0154, -0.0085)),
        lamp(box(0.006, 0.0014, 0.0042, 0.0004), "power", (0, 0.0154, -0.0175)),
        piece(cylinder(0.0038, 0.004), "plastic", (0, -0.008, -0.0180), (math.pi, 0, 0), tint="night"),
        cable(((0, -0.008, -0.020), (0, -0.008, -0.032), (0.004, -0.010, -0.048), (0.010, -0.012, -0.070)), 0.0019),
        piece(box(0.0018, 0.036, 0.020, 0.0006), "steel", (0.0070, -0.003, -0.0125)),
        piece(box(0.016, 0.0018, 0.020, 0.0006), "steel", (0.0150, -0.0202, -0.0125)),
    ]
    lens = revolve(((0, 0), (0.0036, 0), (0.0030, 0.0011), (0.0014, 0.0017), (0, 0.0018)), sides=20)
    for y in (0.007, -0.003):
        parts.append(piece(lens, "lens", (0, y, -0.0010), tint="#a32a26"))
    for y in (0.0105, -0.0105):
        parts += placed(bolt(0.0017), (0.0079, y, -0.0125), (0, QUARTER, 0))
    return parts


def _barrel(model: SensorModel) -> Parts:
    """A threaded barrel with a coloured face, two nuts, a ring of light and a cable."""
    return _threaded(0.009, "#f2a52c" if model.senses == "metal" else "#3d7fc1")


def _transducer(model: SensorModel) -> Parts:
    """An ultrasonic barrel with a matched face."""
    return _threaded(0.015, "teal")


def _threaded(radius: float, face: str) -> Parts:
    length, pitch = 0.0240, 0.0024
    thread = [(0.0, 0.0), (0.86 * radius, 0.0), (radius, pitch)]
    z = pitch
    while z < 0.62 * length:
        thread += [(radius, z + pitch / 2), (0.91 * radius, z + 0.75 * pitch), (radius, z + pitch)]
        z += pitch
    thread += [(radius, 0.7 * length), (0.92 * radius, 0.72 * length), (0.92 * radius, length), (0.0, length)]
    hole = circle(1.04 * radius)
    parts = [
        piece(revolve(thread, 0.0003, 24, 9.0), "steel", (0, 0, 0), (math.pi, 0, 0)),
        piece(cylinder(0.84 * radius, 0.0012, 0.0004), "plastic", (0, 0, -0.0006), tint=face),
        piece(cylinder(0.40 * radius, 0.0016, 0.0004), "plastic", (0, 0, -0.0006), tint="light"),
        lamp(tube(1.0 * radius, 0.8 * radius, 0.0026), "seen", (0, 0, -0.0225)),
        piece(cylinder(0.5 * radius, 0.006, 0.001), "plastic", (0, 0, -length - 0.001 + 0.0015), (math.pi, 0, 0)),
        cable(((0, 0, -length - 0.003), (0, 0, -0.050), (0.004, 0.012, -0.066), (0.006, 0.040, -0.072)), 0.0024),
        piece(
            extrude((rounded(3.4 * radius, 3.4 * radius, 0.4 * radius), hole), 0.002), "black steel", (0, 0, -0.0125)
        ),
    ]
    for z in (-0.0145, -0.0065):
        parts.append(piece(cylinder(1.38 * radius, 0.0038, 0.0008, 6), "steel", (0, 0, z - 0.0019)))
    return parts


def _board(model: SensorModel) -> Parts:
    """A distance sensor on a board: a black housing with two lenses."""
    parts = [
        piece(box(0.030, 0.013, 0.012, 0.001), "plastic", (0, 0, -0.0065), tint="night"),
        piece(box(0.044, 0.018, 0.0016, 0.0004), "plastic", (0, 0, -0.0135), tint="#1d5a3c"),
        lamp(box(0.0028, 0.0018, 0.0012, 0.0003), "seen", (0.018, 0.005, -0.0122)),
        cable(((0, -0.006, -0.015), (0, -0.010, -0.024), (0, -0.030, -0.036)), 0.0015),
    ]
    for x in (-0.009, 0.009):
        parts.append(piece(cylinder(0.0042, 0.0012, 0.0004), "lens", (x, 0, -0.0009), tint="#231016"))
    return parts


def _chip(model: SensorModel) -> Parts:
    """A sensor of a few millimetres on a small board."""
    return [
        piece(box(0.0048, 0.0026, 0.0012, 0.0002), "plastic", (0, 0, -0.0007), tint="night"),
        piece(cylinder(0.0006, 0.0004, 0.0001), "lens", (0.0013, 0, -0.0002)),
        piece(cylinder(0.0006, 0.0004, 0.0001), "lens", (-0.0013, 0, -0.0002)),
        piece(box(0.013, 0.018, 0.0014, 0.0003), "plastic", (0, 0, -0.0021), tint="#35307a"),
        lamp(box(0.0018, 0.0012, 0.0008, 0.0002), "seen", (0.004, 0.007, -0.0012)),
        cable(((0, -0.009, -0.003), (0, -0.014, -0.009), (0, -0.034, -0.020)), 0.0012),
    ]


def _sonar_board(model: SensorModel) -> Parts:
    """Two transducers on a board."""
    parts = [
        piece(box(0.045, 0.020, 0.0016, 0.0004), "plastic", (0, 0, -0.0130), tint="#1f4f86"),
        piece(box(0.006, 0.003, 0.003, 0.0005), "steel", (0, 0.006, -0.0110)),
        lamp(box(0.0022, 0.0016, 0.0010, 0.0003), "seen", (0, -0.006, -0.0120)),
        cable(((0, -0.010, -0.014), (0, -0.016, -0.020), (0, -0.040, -0.034)), 0.0016),
    ]
    for x in (-0.0130, 0.0130):
        parts.append(piece(tube(0.0080, 0.0070, 0.0122, 0.0004), "aluminium", (x, 0, -0.0122)))
        parts.append(piece(cylinder(0.0070, 0.0008, 0.0002), "anodised", (x, 0, -0.0022), shade=0.6))
    return parts


def _horn(model: SensorModel) -> Parts:
    """An electrostatic transducer: a disc with a grille."""
    parts = [
        piece(cylinder(0.0215, 0.0090, 0.001), "plastic", (0, 0, -0.0100), tint="night"),
        piece(tube(0.0205, 0.0175, 0.0014, 0.0004), "brass", (0, 0, -0.0012)),
        piece(cylinder(0.0175, 0.0008, 0.0002), "anodised", (0, 0, -0.0012), tint="#b9a36a", shade=0.75),
        lamp(box(0.0026, 0.0016, 0.0012, 0.0003), "seen", (0, 0.0180, -0.0106)),
        cable(((0, -0.012, -0.010), (0, -0.014, -0.020), (0, -0.036, -0.030)), 0.0016),
    ]
    for radius in (0.004, 0.008, 0.012, 0.016):
        parts.append(piece(tube(radius, radius - 0.0009, 0.0006, 0.0001), "brass", (0, 0, -0.0006)))
    return parts


def _switch(model: SensorModel) -> Parts:
    """A limit switch with a plunger."""
    return [
        piece(box(0.020, 0.016, 0.024, 0.002), "paint", (0, 0, -0.0170), tint="slate"),
        piece(box(0.0204, 0.0164, 0.003, 0.001), "plastic", (0, 0, -0.0060), tint="night"),
        piece(cylinder(0.0042, 0.0036, 0.0006), "steel", (0, 0, -0.0048)),
        piece(cylinder(0.0026, 0.0024, 0.0008), "brass", (0, 0, -0.0022)),
        lamp(box(0.004, 0.0012, 0.003, 0.0004), "seen", (0, 0.0083, -0.0120)),
        cable(((0, -0.008, -0.022), (0, -0.016, -0.024), (0.006, -0.036, -0.040)), 0.0022),
    ]


def _pad(model: SensorModel) -> Parts:
    """A tactile pad: a thin foil with its two tracks."""
    return [
        piece(cylinder(0.0068, 0.0005, 0.0001), "plastic", (0, 0, -0.0006), tint="#c9a44c"),
        piece(cylinder(0.0056, 0.0003, 0.0001), "plastic", (0, 0, -0.0003), tint="night"),
        piece(box(0.0060, 0.020, 0.0003, 0.0001), "plastic", (0, -0.0160, -0.0005), tint="#c9a44c"),
    ]


def _force_ring(model: SensorModel) -> Parts:
    """A force sensor at the wrist: two discs with a groove, and a plug."""
    disc = (
        (0, 0),
        (0.030, 0),
        (0.030, 0.007),
        (0.028, 0.008),
        (0.028, 0.010),
        (0.030, 0.011),
        (0.030, 0.018),
        (0, 0.018),
    )
    parts = [
        piece(revolve(disc, 0.0008), "anodised", (0, 0, -0.018), tint="#4b5157"),
        piece(box(0.010, 0.008, 0.008, 0.001), "plastic", (0.0245, 0, -0.009), tint="night"),
        lamp(box(0.0016, 0.003, 0.002, 0.0003), "power", (0.0291, 0.0, -0.0135)),
        cable(((0.030, 0, -0.009), (0.040, 0, -0.009), (0.050, 0.006, -0.022), (0.052, 0.010, -0.050)), 0.0024),
    ]
    for k in range(6):
        x, y = 0.022 * math.cos(k * math.pi / 3), 0.022 * math.sin(k * math.pi / 3)
        parts += placed(bolt(0.0024), (x, y, -0.0004))
    return parts


_BY_NAME: Final[dict[str, Callable[[SensorModel], Parts]]] = {
    "finger-beam": _chip,
    "hc-sr04": _sonar_board,
    "polaroid-6500": _horn,
    "polaroid-frank2": _horn,
    "vl53l0x": _chip,
}
"""Sensors of the library whose housing is not the usual one of their family."""
