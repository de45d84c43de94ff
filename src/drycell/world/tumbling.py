"""Tumbling: how a part that has met a level surface bounces and rolls until one of its stable states has caught it.

The part is the convex hull of its shape. Impacts act at one corner at a time, with Newton's restitution and Coulomb
friction. Nothing is fitted: the surface contributes the product of the two restitutions and the lower friction. The
drop ends when the energy that is left cannot lift the centre of mass over the lowest pass out of the state it is in;
the part then lies down. Energy never rises.

The result is sensitive to single bits, so only + − × ÷ and square roots of plain floats decide it: the same bits on
every machine. The part is computed ahead, from its state; the path becomes an ordinary motion.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from random import Random
from typing import Final, NamedTuple

from drycell.base import Pose, Vector, WorldError
from drycell.geometry import Shape, Sphere, StableStates, least_turn, resting_hull, stable_states

GRAVITY: Final = 9.80665
DROPS: Final = 600
LEAST_FRICTION: Final = 0.05  # below this a part would slide without end
_FINE: Final = 0.02  # least step, in units of √(R/g)
_SLOW: Final = 0.05  # impacts slower than this times √(gR) do not bounce
_TURN: Final = 0.15  # rad: the largest turn in a step
_MOST_STEPS: Final = 6000
_MOST_IMPULSES: Final = 30  # in one step
_MOST_TURNS: Final = 3
_ONLY: Final = 0.2  # of R: with one state only, a bounce that is lower than this ends the drop
_STILL: Final = 0.001  # of R: the height that the energy of a part can lift it by, if it hardly moves
_CALM: Final = 10  # hits in a row in which the part only slides
_LYING: Final = 6  # poses while it lies down

Quaternion = tuple[float, float, float, float]


class Moving(NamedTuple):
    """The state of a tumbling part. The surface is at z = 0."""

    time: float
    """Seconds since the first contact."""
    centre: Vector
    """Centre of mass."""
    turn: Quaternion
    """Orientation ``wxyz`` of its principal axes."""
    velocity: Vector
    """Of the centre of mass, in m/s."""
    spin: Vector
    """Angular velocity about its principal axes, in rad/s."""


@dataclass(frozen=True)
class TumbledPath:
    """Where a part has come to rest, and its path there."""

    state: int
    """The number of the stable state, as in ``RestingHull``."""
    hits: int
    """How often it has hit the surface."""
    path: tuple[Moving, ...]
    """Its states at the end of each step; the last is at rest."""
    caught: int
    """The index in ``path`` from which on it only lies down."""


class TumblingBody:
    """A shape as the drop sees it: corners about the centre of mass, along the principal axes of inertia."""

    def __init__(self, shape: Shape) -> None:
        hull = self.hull = resting_hull(shape)
        self.inertia, self.axes = principal_axes(hull.inertia)
        """Principal moments over mass in m², and the pose of the principal axes in the frame of the shape."""
        back = self.axes.inverse()
        self.corners = tuple(back.direction(corner) for corner in hull.vertices)
        self.normals = tuple(back.direction(normal) for normal in hull.normals)
        self.origin = back.direction(hull.centre)
        """The centre of mass from the origin of the shape, along the principal axes."""
        self.ball = shape.radius if isinstance(shape, Sphere) else 0.0
        """The radius of a ball, which touches a surface at one point; 0 for other shapes."""
        self.sloped = tuple(
            (a / height, b / height, c / height) for (a, b, c), height in zip(self.normals, hull.heights, strict=True)
        )

    def facet(self, a: float, b: float, c: float) -> int:
        """The facet that it rolls to first when (a, b, c) along its principal axes points up."""
        best, most = 0, -1e300
        for k, (x, y, z) in enumerate(self.sloped):
            value = -(x * a + y * b + z * c)
            if value > most:
                best, most = k, value
        return best

    def turned(self, pose: Pose) -> Quaternion:
        """The orientation of its principal axes when the frame of the shape has a pose."""
        return (pose @ self.axes).quaternion

    def centre(self, pose: Pose) -> Vector:
        """Its centre of mass when the frame of the shape has a pose."""
        return pose.point(self.hull.centre)

    def pose(self, moving: Moving) -> Pose:
        """The pose of the frame of the shape."""
        turned = Pose.of_quaternion(moving.turn)
        x, y, z = moving.centre
        u, v, w = turned.direction(self.origin)
        return (turned @ self.axes.inverse()).moved(x - u, y - v, z - w)


@lru_cache(maxsize=256)
def tumbling_body(shape: Shape) -> TumblingBody:
    """Return a shape as the drop sees it, computed once per shape."""
    return TumblingBody(shape)


def principal_axes(inertia: Sequence[Sequence[float]]) -> tuple[Vector, Pose]:
    """Return the principal moments of a symmetric matrix and the pose of its principal axes (Jacobi's method).

    It uses only + − × ÷ and square roots, unlike the eigenvalues of numpy.
    """
    a = [list(row) for row in inertia]
    r = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(30):
        if abs(a[0][1]) + abs(a[0][2]) + abs(a[1][2]) <= 1e-15 * (a[0][0] + a[1][1] + a[2][2]):
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if a[p][q] == 0.0:
                continue
            theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
            t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + sqrt(theta * theta + 1.0))
            c = 1.0 / sqrt(t * t + 1.0)
            s = t * c
            for k in range(3):
                a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
            for k in range(3):
                a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
            for k in range(3):
                r[k][p], r[k][q] = c * r[k][p] - s * r[k][q], s * r[k][p] + c * r[k][q]
    (a0, b0, c0), (a1, b1, c1), (a2, b2, c2) = r
    if a0 * (b1 * c2 - c1 * b2) - b0 * (a1 * c2 - c1 * a2) + c0 * (a1 * b2 - b1 * a2) < 0.0:
        c0, c1, c2 = -c0, -c1, -c2
    return (a[0][0], a[1][1], a[2][2]), Pose.of_rows((a0, b0, c0, 0.0, a1, b1, c1, 0.0, a2, b2, c2, 0.0))


def tumble(
    body: TumblingBody, start: Moving, restitution: float, friction: float, gravity: float = GRAVITY
) -> TumbledPath:
    """Let a part fall onto a level surface at z = 0 and tumble until it is at rest.

    Args:
        body: The part.
        start: Its state; a corner below the surface is lifted out of it.
        restitution: Rebound speed over impact speed, 0…1.
        friction: The coefficient of friction; at least 0.05 counts.
        gravity: In m/s², downwards.

    Raises:
        WorldError: The friction is below 0 or the restitution is not in 0…1.
    """
    if not friction >= 0.0:
        raise WorldError(f"a friction of {friction:g} is below 0", hint="give 0 or more; steel on steel has 0.42")
    if not 0.0 <= restitution <= 1.0:
        raise WorldError(f"a restitution of {restitution:g} is not in 0…1", hint="steel has 0.6")
    mu = max(friction, LEAST_FRICTION)
    V = body.corners
    I0, I1, I2 = body.inertia
    hull = body.hull
    reach, R = hull.reach, hull.radius
    t, (X, Y, Z), (w, x, y, z), (vx, vy, vz), (p0, p1, p2) = start
    k01, k12, k20 = (I1 - I2) / I0, (I2 - I0) / I1, (I0 - I1) / I2
    calm_motion = 2.0 * gravity * R * _STILL
    least, slow = _FINE * sqrt(R / gravity), _SLOW * sqrt(gravity * R)
    a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    d, e, f = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    g, h, k = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    ball = body.ball
    low = -ball if ball else min([g * i + h * j + k * n for i, j, n in V])
    Z = max(Z, -low)
    path = [Moving(t, (X, Y, Z), (w, x, y, z), (vx, vy, vz), (p0, p1, p2))]
    hits = calm = 0
    facet = body.facet(g, h, k)
    for _ in range(_MOST_STEPS):
        gap = Z + low
        turning = p0 * p0 + p1 * p1 + p2 * p2
        spin = sqrt(turning)
        dt = least
        if gap > 0.0:
            # No corner can touch before dt: spin · reach · dt − vz · dt + g dt²/2 = gap.
            s = spin * reach - vz
            square = s * s + 2 * gravity * gap
            if square > 0.0:
                dt = max(dt, (sqrt(square) - s) / gravity)
            if spin * dt > _TURN:
                dt = max(least, _TURN / spin)
        X += vx * dt
        Y += vy * dt
        Z += vz * dt - 0.5 * gravity * dt * dt
        vz -= gravity * dt
        t += dt
        if turning > 0.0:
            # Euler's equations and the orientation, by the midpoint rule; the energy of the rotation is kept.
            rotation = I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2
            half = 0.5 * dt
            m0, m1, m2 = p0 + half * k01 * p1 * p2, p1 + half * k12 * p2 * p0, p2 + half * k20 * p0 * p1
            p0, p1, p2 = p0 + dt * k01 * m1 * m2, p1 + dt * k12 * m2 * m0, p2 + dt * k20 * m0 * m1
            kept = sqrt(rotation / (I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2))
            p0, p1, p2 = p0 * kept, p1 * kept, p2 * kept
            n = 0.5 * half
            qw, qx = w - n * (x * m0 + y * m1 + z * m2), x + n * (w * m0 + y * m2 - z * m1)
            qy, qz = y + n * (w * m1 - x * m2 + z * m0), z + n * (w * m2 + x * m1 - y * m0)
            w, x = w - half * (qx * m0 + qy * m1 + qz * m2), x + half * (qw * m0 + qy * m2 - qz * m1)
            y, z = y + half * (qw * m1 - qx * m2 + qz * m0), z + half * (qw * m2 + qx * m1 - qy * m0)
            n = 1.0 / sqrt(w * w + x * x + y * y + z * z)
            w, x, y, z = w * n, x * n, y * n, z * n
            a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
            d, e, f = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
            g, h, k = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
            low = min([g * i + h * j + k * n for i, j, n in V]) if reach >= Z else -reach
        if Z + low >= 0.0 or reach < Z:
            path.append(Moving(t, (X, Y, Z), (w, x, y, z), (vx, vy, vz), (p0, p1, p2)))
            continue
        motion = vx * vx + vy * vy + vz * vz + I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2
        before = Z + motion / (2 * gravity)
        if ball:
            below = [(-ball * g, -ball * h, -ball * k)]
        else:
            below = [(i, j, n) for i, j, n in V if g * i + h * j + k * n < -Z]
        hit = False
        for _ in range(_MOST_IMPULSES):
            # The fastest approaching corner below the surface.
            o0, o1, o2 = a * p0 + b * p1 + c * p2, d * p0 + e * p1 + f * p2, g * p0 + h * p1 + k * p2
            uz = -1e-9
            at = None
            for i, j, n in below:
                rx, ry = a * i + b * j + c * n, d * i + e * j + f * n
                speed = vz + o0 * ry - o1 * rx
                if speed < uz:
                    uz, at = speed, (rx, ry, g * i + h * j + k * n)
            if at is None:
                break
            hit = True
            rx, ry, rz = at
            ux, uy = vx + o1 * rz - o2 * ry, vy + o2 * rx - o0 * rz
            # The inverse inertia in the frame of the surface, and K = 1 − [r] J⁻¹ [r]: u changes by K · impulse.
            A, B = a * a / I0 + b * b / I1 + c * c / I2, a * d / I0 + b * e / I1 + c * f / I2
            C, D = a * g / I0 + b * h / I1 + c * k / I2, d * d / I0 + e * e / I1 + f * f / I2
            E, F = d * g / I0 + e * h / I1 + f * k / I2, g * g / I0 + h * h / I1 + k * k / I2
            kxx = 1 + rz * rz * D - 2 * ry * rz * E + ry * ry * F
            kxy = rz * ry * C + rx * rz * E - rz * rz * B - rx * ry * F
            kxz = rz * ry * B - ry * ry * C - rx * rz * D + rx * ry * E
            kyy = 1 + rz * rz * A - 2 * rx * rz * C + rx * rx * F
            kyz = rx * rz * B + rx * ry * C - ry * rz * A - rx * rx * E
            kzz = 1 + ry * ry * A - 2 * rx * ry * B + rx * rx * D
            bounce = restitution if -uz > slow else 0.0
            tz = -(1.0 + bounce) * uz
            # The impulse that stops the corner from sliding …
            sxx, sxy, sxz = kyy * kzz - kyz * kyz, kxz * kyz - kxy * kzz, kxy * kyz - kxz * kyy
            syy, syz, szz = kxx * kzz - kxz * kxz, kxy * kxz - kxx * kyz, kxx * kyy - kxy * kxy
            det = kxx * sxx + kxy * sxy + kxz * sxz
            jx = (sxz * tz - sxx * ux - sxy * uy) / det
            jy = (syz * tz - sxy * ux - syy * uy) / det
            jz = (szz * tz - sxz * ux - syz * uy) / det
            across = sqrt(jx * jx + jy * jy)
            if jz <= 0.0 or across > mu * jz:  # … is too oblique: it slides
                sliding = sqrt(ux * ux + uy * uy)
                if sliding > 1e-12:
                    dx, dy = -ux / sliding, -uy / sliding
                else:
                    dx, dy = jx / max(across, 1e-12), jy / max(across, 1e-12)
                share = kzz + mu * (kxz * dx + kyz * dy)
                jz = tz / (share if share > 1e-9 else kzz)
                jx, jy = mu * jz * dx, mu * jz * dy
            vx, vy, vz = vx + jx, vy + jy, vz + jz
            t0, t1, t2 = ry * jz - rz * jy, rz * jx - rx * jz, rx * jy - ry * jx
            p0 += (a * t0 + d * t1 + g * t2) / I0
            p1 += (b * t0 + e * t1 + h * t2) / I1
            p2 += (c * t0 + f * t1 + k * t2) / I2
        # A part that hardly moves turns out of the surface about its lowest corner, as when it begins to topple.
        motion = vx * vx + vy * vy + vz * vz + I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2
        for _ in range(_MOST_TURNS if motion < calm_motion and not ball else 0):
            low, lowest = min([(g * i + h * j + k * n, (i, j, n)) for i, j, n in below])
            depth = -Z - low
            if depth <= 0.0:
                break
            i, j, n = lowest
            rx, ry = a * i + b * j + c * n, d * i + e * j + f * n
            # Along the principal axes: the moment of an upward impulse, and the small turn that it results in.
            m0, m1, m2 = ry * a - rx * d, ry * b - rx * e, ry * c - rx * f
            push = depth / (1.0 + m0 * m0 / I0 + m1 * m1 / I1 + m2 * m2 / I2)
            m0, m1, m2 = 0.5 * push * m0 / I0, 0.5 * push * m1 / I1, 0.5 * push * m2 / I2
            Z += push
            w, x, y, z = (
                w - (x * m0 + y * m1 + z * m2),
                x + (w * m0 + y * m2 - z * m1),
                y + (w * m1 - x * m2 + z * m0),
                z + (w * m2 + x * m1 - y * m0),
            )
            n = 1.0 / sqrt(w * w + x * x + y * y + z * z)
            w, x, y, z = w * n, x * n, y * n, z * n
            a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
            d, e, f = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
            g, h, k = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
        if not ball:
            low = min([g * i + h * j + k * n for i, j, n in V])
        # Lift it by what is left, as far as its energy allows.
        motion = (vx * vx + vy * vy + vz * vz + I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2) / (2 * gravity)
        left = before - max(Z, -low)  # the energy above that of a rest at the height to which it is lifted
        if motion > left:
            share = sqrt(left / motion) if left > 0.0 else 0.0
            vx, vy, vz, p0, p1, p2 = vx * share, vy * share, vz * share, p0 * share, p1 * share, p2 * share
        Z = max(Z, min(-low, before))
        path.append(Moving(t, (X, Y, Z), (w, x, y, z), (vx, vy, vz), (p0, p1, p2)))
        if not hit:
            continue
        hits += 1
        facet = body.facet(g, h, k)
        state = hull.basin[facet]
        bottom = hull.heights[hull.bottoms[state]]
        only = len(hull.bottoms) == 1  # such as a ball: it bounces until it only rolls, and then stops
        over = bottom + _ONLY * R if only else hull.passes[state]
        motion = vz * vz + I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2
        if Z + (motion + vx * vx + vy * vy) / (2 * gravity) < over:
            break
        # If it lies flat and only slides, its energy does not matter: sliding lifts nothing.
        lifts = vz * vz if only else motion
        calm = calm + 1 if Z - bottom + lifts / (2 * gravity) < 0.05 * (over - bottom) else 0
        if calm >= _CALM:
            break
    caught = len(path) - 1
    path += _lying_down(body, path[-1], facet, gravity)
    return TumbledPath(hull.basin[facet], hits, tuple(path), caught)


def advanced(body: TumblingBody, moving: Moving, seconds: float, gravity: float = GRAVITY) -> Moving:
    """Return the state of a part that flies freely, some time later; z is up."""
    I0, I1, I2 = body.inertia
    (x, y, z), (vx, vy, vz) = moving.centre, moving.velocity
    centre = (x + vx * seconds, y + vy * seconds, z + vz * seconds - 0.5 * gravity * seconds * seconds)
    (qw, qx, qy, qz), (p0, p1, p2) = moving.turn, moving.spin
    rotation = I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2
    if rotation > 0.0:
        steps = int(sqrt(p0 * p0 + p1 * p1 + p2 * p2) * seconds / _TURN) + 1
        dt = seconds / steps
        half = 0.5 * dt
        k01, k12, k20 = (I1 - I2) / I0, (I2 - I0) / I1, (I0 - I1) / I2
        for _ in range(steps):
            m0, m1, m2 = p0 + half * k01 * p1 * p2, p1 + half * k12 * p2 * p0, p2 + half * k20 * p0 * p1
            p0, p1, p2 = p0 + dt * k01 * m1 * m2, p1 + dt * k12 * m2 * m0, p2 + dt * k20 * m0 * m1
            kept = sqrt(rotation / (I0 * p0 * p0 + I1 * p1 * p1 + I2 * p2 * p2))
            p0, p1, p2 = p0 * kept, p1 * kept, p2 * kept
            n = 0.5 * half
            hw, hx = qw - n * (qx * m0 + qy * m1 + qz * m2), qx + n * (qw * m0 + qy * m2 - qz * m1)
            hy, hz = qy + n * (qw * m1 - qx * m2 + qz * m0), qz + n * (qw * m2 + qx * m1 - qy * m0)
            qw, qx = qw - half * (hx * m0 + hy * m1 + hz * m2), qx + half * (hw * m0 + hy * m2 - hz * m1)
            qy, qz = qy + half * (hw * m1 - hx * m2 + hz * m0), qz + half * (hw * m2 + hx * m1 - hy * m0)
            n = 1.0 / sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
            qw, qx, qy, qz = qw * n, qx * n, qy * n, qz * n
    velocity = (vx, vy, vz - gravity * seconds)
    return Moving(moving.time + seconds, centre, (qw, qx, qy, qz), velocity, (p0, p1, p2))


def struck(
    body: TumblingBody, moving: Moving, point: Vector, normal: Vector, restitution: float, friction: float
) -> Moving:
    """Return the state of a part after an impact at a point, such as on an edge or a wall.

    Args:
        body: The part.
        moving: Its state before.
        point: Where it is hit.
        normal: The direction, of length 1, in which it is pushed.
        restitution: Rebound speed over impact speed.
        friction: The coefficient of friction.
    """
    turned = Pose.of_quaternion(moving.turn)
    back = turned.inverse()
    r = tuple(p - c for p, c in zip(point, moving.centre, strict=True))

    def cross(u: Sequence[float], v: Sequence[float]) -> Vector:
        return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])

    def dot(u: Sequence[float], v: Sequence[float]) -> float:
        return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]

    def spun(impulse: Vector) -> Vector:
        """The change of the spin, along the principal axes, by an impulse per mass at the point."""
        return tuple(
            value / moment for value, moment in zip(back.direction(cross(r, impulse)), body.inertia, strict=True)
        )  # type: ignore[return-value]

    def gained(impulse: Vector) -> Vector:
        """The change of the velocity of the point."""
        turn = cross(turned.direction(spun(impulse)), r)
        return (impulse[0] + turn[0], impulse[1] + turn[1], impulse[2] + turn[2])

    turn = cross(turned.direction(moving.spin), r)
    u = tuple(v + w for v, w in zip(moving.velocity, turn, strict=True))
    into = dot(u, normal)
    if into >= 0.0:
        return moving
    slip = tuple(v - into * n for v, n in zip(u, normal, strict=True))
    speed = sqrt(dot(slip, slip))
    # Friction acts against the slip, at most as much as stops it.
    along: Vector = (0.0, 0.0, 0.0)
    if speed > 1e-9:
        along = (-slip[0] / speed, -slip[1] / speed, -slip[2] / speed)
    pushed, rubbed = gained(normal), gained(along)
    knn, knt, ktt = dot(pushed, normal), dot(rubbed, normal), max(dot(rubbed, along), 1e-12)
    size = -(1.0 + restitution) * into / knn
    rub = min(friction * size, speed / ktt)
    share = knn + (rub / size) * knt if size > 0.0 else knn
    if share > 1e-9:
        size, rub = size * knn / share, rub * knn / share
    impulse = tuple(size * n + rub * a for n, a in zip(normal, along, strict=True))
    spin = spun((impulse[0], impulse[1], impulse[2]))
    velocity = tuple(v + j for v, j in zip(moving.velocity, impulse, strict=True))
    after = (*velocity, *(p + s for p, s in zip(moving.spin, spin, strict=True)))

    def energy(v: Sequence[float], p: Sequence[float]) -> float:
        return dot(v, v) + sum(moment * each * each for moment, each in zip(body.inertia, p, strict=True))

    before, now = energy(moving.velocity, moving.spin), energy(after[:3], after[3:])
    share = sqrt(before / now) if now > before else 1.0
    vx, vy, vz, p0, p1, p2 = (value * share for value in after)
    return moving._replace(velocity=(vx, vy, vz), spin=(p0, p1, p2))


def _lying_down(body: TumblingBody, last: Moving, facet: int, gravity: float) -> list[Moving]:
    """The poses in which a caught part lies down, with the least rotation, in the time of a fall by the same height."""
    still = (0.0, 0.0, 0.0)
    if body.ball:
        x, y, _ = last.centre
        return [Moving(last.time + 1e-3, (x, y, body.ball), last.turn, still, still)]
    facet = body.hull.rolls_to[facet]
    turned = Pose.of_quaternion(last.turn)
    flat = (least_turn(turned.direction(body.normals[facet]), (0.0, 0.0, -1.0)) @ turned).quaternion
    if sum(p * q for p, q in zip(last.turn, flat, strict=True)) < 0.0:
        flat = (-flat[0], -flat[1], -flat[2], -flat[3])
    x, y, z = last.centre
    height = body.hull.heights[facet]
    lasts = max(sqrt(2.0 * max(z - height, 0.0) / gravity), 1e-3)
    found = []
    for step in range(1, _LYING + 1):
        share = step / _LYING
        done = share * share  # faster and faster, as it falls over
        if step == _LYING:
            turn, level = flat, height
        else:
            turn = _between(last.turn, flat, done)
            pose = Pose.of_quaternion(turn)
            level = max(-pose.direction(each)[2] for each in body.corners)
        found.append(Moving(last.time + share * lasts, (x, y, level), turn, still, still))
    return found


def _between(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    """An orientation between two, by a fraction of the way."""
    w, x, y, z = (p + share * (q - p) for p, q in zip(a, b, strict=True))
    n = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return (w * n, x * n, y * n, z * n)


def normal_draw(random: Random) -> float:
    """Draw from a normal distribution with mean 0 and deviation 1, as a sum of twelve uniform draws.

    Unlike ``Random.gauss`` it uses only + and −: the same bits on every machine. It never exceeds 6.
    """
    return sum(random.random() for _ in range(12)) - 6.0


_COUNTS: Final[dict[tuple[str, float, float, int], tuple[int, ...]]] = {}
_MOST_COUNTS: Final = 1000


def dropped(
    shape: Shape,
    restitution: float,
    friction: float,
    drops: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[int, ...]:
    """Return how many of a number of random drops end in each stable state, by number, computed once.

    Args:
        shape: A solid.
        restitution: The product of the restitutions of part and surface.
        friction: The lower friction of the two.
        drops: How many times to drop it.
        progress: Called with the fraction that is done.
    """
    key = (shape.key, restitution, friction, drops)
    if key not in _COUNTS:
        body, random = tumbling_body(shape), Random(1)
        counts = [0] * len(body.hull.bottoms)
        for number in range(drops):
            counts[tumble(body, thrown(body, random), restitution, friction).state] += 1
            if progress is not None and number % 10 == 0:
                progress(number / drops)
        if len(_COUNTS) >= _MOST_COUNTS:
            _COUNTS.clear()
        _COUNTS[key] = tuple(counts)
    return _COUNTS[key]


def thrown(body: TumblingBody, random: Random, gravity: float = GRAVITY) -> Moving:
    """The start of a random drop: any orientation, from 10 R, with some spin and sideways velocity."""
    R = body.hull.radius
    while True:
        w, x, y, z = (2.0 * random.random() - 1.0 for _ in range(4))
        square = w * w + x * x + y * y + z * z
        if 0.01 < square <= 1.0:
            break
    n = 1.0 / sqrt(square)
    fast, turn = sqrt(gravity * R), 2.0 * sqrt(gravity / R)
    velocity = (fast * normal_draw(random), fast * normal_draw(random), 0.0)
    spin = (turn * normal_draw(random), turn * normal_draw(random), turn * normal_draw(random))
    return Moving(0.0, (0.0, 0.0, 10.0 * R + body.hull.reach), (w * n, x * n, y * n, z * n), velocity, spin)


def tumbled_states(
    shape: Shape,
    restitution: float,
    friction: float,
    drops: int = DROPS,
    counts: Sequence[int] | None = None,
) -> StableStates:
    """Return the stable states of a shape with the probabilities that random drops result in.

    >>> from drycell import Box, mm
    >>> from drycell.world import tumbled_states
    >>> states = tumbled_states(Box(60*mm, 40*mm, 20*mm), restitution=0.36, friction=0.42, drops=60)
    >>> round(states["A"].height / mm), round(states["A"].probability, 1)
    (10, 0.5)

    Args:
        shape: A solid.
        restitution: The product of the restitutions of part and surface.
        friction: The lower friction of the two.
        drops: How many times to drop it. Results are cached by shape, materials and number.
        counts: The result of :func:`dropped`, if it is known already.

    Raises:
        GeometryError: The shape has no stable states.
        WorldError: The restitution or the friction is out of range.
    """
    if drops < 1:
        raise WorldError(f"{drops} drops are too few", hint="give 1 or more; 600 are the default")
    states = stable_states(shape)
    if len(states) == 1:
        return states.with_probabilities([1.0], [0.0], "tumble")
    counts = dropped(shape, restitution, friction, drops) if counts is None else counts
    shares = [count / drops for count in counts]
    # The rule of succession: a state that was never met may still be possible.
    guesses = [(count + 1) / (drops + 2) for count in counts]
    return states.with_probabilities(shares, [sqrt(p * (1.0 - p) / drops) for p in guesses], "tumble")
