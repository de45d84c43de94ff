"""Closed forms of a frustum about z: the common ground of cylinder and cone.

Its profile runs from ``(low, -half)`` to ``(high, half)`` in (radius, z).
"""

import math

from drycell.base import Vector
from drycell.geometry.mass import MassProperties
from drycell.geometry.primitive import Span
from drycell.geometry.shape import MOST_BALLS, Ball, SurfacePoint


def mass_properties(low: float, high: float, half: float) -> MassProperties:
    """The integrals of r², z·r², z²·r² and r⁴ for a radius linear in height."""
    length = 2 * half
    volume = math.pi * length * (low * low + low * high + high * high) / 3
    first = math.pi * length**2 * (low * low + 2 * low * high + 3 * high * high) / 12
    second = math.pi * length**3 * (low * low + 3 * low * high + 6 * high * high) / 30
    fourth = math.pi * length * (low**4 + low**3 * high + low**2 * high**2 + low * high**3 + high**4) / 5
    centre = first / volume
    across = fourth / 4 + second - volume * centre * centre
    return MassProperties.diagonal(volume, across, across, fourth / 2, (0.0, 0.0, centre - half))


def ball(low: float, high: float, half: float) -> Ball:
    """The smallest ball through both rims, or about the larger one."""
    z = max(-half, min(half, (high * high - low * low) / (4 * half)))
    return (0.0, 0.0, z), max(math.hypot(low, z + half), math.hypot(high, z - half))


def balls(low: float, high: float, half: float) -> tuple[Ball, ...]:
    """Balls round slices about as high as wide."""
    count = max(1, min(MOST_BALLS, round(half / max(low, high))))
    found = []
    for k in range(count):
        a, b = (low + (high - low) * share for share in (k / count, (k + 1) / count))
        (_, _, z), radius = ball(a, b, half / count)
        found.append(((0.0, 0.0, z - half + (2 * k + 1) * half / count), radius * (1 + 1e-12)))
    return tuple(found)


def nearest(low: float, high: float, half: float, point: Vector) -> SurfacePoint:
    """The nearest point of the mantle or of a lid."""
    x, y, z = point
    rho = math.hypot(x, y)
    out = (x / rho, y / rho) if rho > 1e-15 else (1.0, 0.0)
    slope = math.hypot(2 * half, low - high)
    nr, nz = 2 * half / slope, (low - high) / slope  # outward normal of the mantle, in (radius, z)
    below, above, aside = -half - z, z - half, nr * (rho - low) + nz * (z + half)
    if max(below, above, aside) <= 0.0:  # inside, the nearest of the three is also within its own bounds
        if aside >= max(below, above):
            foot, normal = (rho - aside * nr, z - aside * nz), (nr, nz)
        else:
            foot, normal = ((rho, -half), (0.0, -1.0)) if below >= above else ((rho, half), (0.0, 1.0))
        distance = max(below, above, aside)
    else:
        share = ((rho - low) * (high - low) + (z + half) * 2 * half) / (slope * slope)
        share = max(0.0, min(1.0, share))
        feet = (
            (low + share * (high - low), -half + share * 2 * half),
            (min(rho, low), -half),
            (min(rho, high), half),
        )
        distance, foot = min((math.hypot(rho - f[0], z - f[1]), f) for f in feet)
        if distance > 1e-12:
            normal = ((rho - foot[0]) / distance, (z - foot[1]) / distance)
        else:
            normal = (nr, nz) if aside >= max(below, above) else (0.0, math.copysign(1.0, z))
    (fr, fz), (mr, mz) = foot, normal
    return SurfacePoint(distance, (fr * out[0], fr * out[1], fz), (mr * out[0], mr * out[1], mz))


def trace(low: float, high: float, half: float, origin: Vector, direction: Vector) -> Span | None:
    """Where a line runs through: between the lids, and within the mantle."""
    x, y, z = origin
    u, v, w = direction
    near, far, lid = -math.inf, math.inf, True
    if abs(w) < 1e-15:
        if abs(z) > half:
            return None
    else:
        middle, span = -z / w, half / abs(w)
        near, far = middle - span, middle + span
    k = (high - low) / (2 * half)
    radius = 0.5 * (low + high)
    # Measured from the line's closest approach to the middle, where the squares are small: no digits lost far away. Not
    # from that to the axis, which a line that is all but parallel to it has in no one knows what distance.
    a = u * u + v * v
    shift = -(x * u + y * v + z * w)
    x, y, z = x + shift * u, y + shift * v, z + shift * w
    near, far = near - shift, far - shift
    r = radius + k * z
    A, B, C = a - k * k * w * w, x * u + y * v - k * w * r, x * x + y * y - r * r
    if abs(A) < 1e-24:
        if abs(B) < 1e-18:
            if C > 0.0:
                return None
        elif B > 0.0:
            far = min(far, -C / (2 * B))
        elif near < -C / (2 * B):
            near, lid = -C / (2 * B), False
    else:
        disc = B * B - A * C
        if A > 0.0:
            if disc < 0.0:
                return None
            root = math.sqrt(disc)
            if (-B - root) / A > near:
                near, lid = (-B - root) / A, False
            far = min(far, (-B + root) / A)
        elif disc > 0.0:  # steeper than the mantle: the inside is before the first or after the second crossing
            root = math.sqrt(disc)
            first, second = (-B + root) / A, (-B - root) / A
            if near <= min(far, first) and radius + k * (z + 0.5 * (near + min(far, first)) * w) >= 0.0:
                far = min(far, first)
            elif second > near:
                near, lid = second, False
    if near > far:
        return None
    if lid:
        return near + shift, far + shift, (0.0, 0.0, -math.copysign(1.0, w))
    hx, hy = x + near * u, y + near * v
    rho = math.hypot(hx, hy)
    slope = math.hypot(1.0, k)
    if rho < 1e-15:
        return near + shift, far + shift, (0.0, 0.0, math.copysign(1.0, -k))
    return near + shift, far + shift, (hx / rho / slope, hy / rho / slope, -k / slope)
