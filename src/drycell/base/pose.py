"""Poses: one frame relative to another. ``X_AB`` is the pose of frame B relative to frame A; ``X_AB @ X_BC`` is
``X_AC``; ``X_AB.point(p_B)`` is ``p_A``. Axes are right-handed, +z is up, quaternions are ``wxyz``. A pose is twelve
plain floats with arithmetic in plain Python: faster than numpy for arrays this small, and bit-identical whichever BLAS
is installed.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base.errors import GeometryError

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
Rows = tuple[float, float, float, float, float, float, float, float, float, float, float, float]

_IDENTITY: Final[Rows] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def _not_lengths(*given: object) -> GeometryError:
    wrong = next(each for each in given if not isinstance(each, (int, float)))
    hint = "give x, y and z separately, as numbers with a unit: x=10*mm, y=0, z=5*mm"
    return GeometryError(f"{wrong!r} is not a length in metres", hint=hint)


def _turn(angle: float) -> tuple[float, float]:
    """The cosine and the sine of an angle."""
    try:
        return math.cos(angle), math.sin(angle)
    except TypeError:
        raise GeometryError(f"{angle!r} is not an angle in radians", hint="write a number, such as 90*deg") from None


class Pose:
    """A rotation followed by a translation: the pose of a frame B relative to a frame A. Poses are immutable.

    Two poses are equal if all twelve numbers are. ``X_AB @ X_BC`` is ``X_AC``.

    >>> from math import pi
    >>> from drycell import Pose
    >>> table = Pose(1.0, 0.0, 0.5)
    >>> part = Pose.of_rpy(0, 0, pi / 2, at=(0.2, 0, 0))
    >>> (table @ part).position
    (1.2, 0.0, 0.5)

    Args:
        x: The translation along x, in metres.
        y: The translation along y, in metres.
        z: The translation along z, in metres.
    """

    __slots__ = ("rows",)
    rows: Rows  # row-major upper 3×4 part of the homogeneous matrix

    def __init__(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        try:
            rows = (1.0, 0.0, 0.0, float(x), 0.0, 1.0, 0.0, float(y), 0.0, 0.0, 1.0, float(z))
        except (TypeError, ValueError):
            raise _not_lengths(x, y, z) from None
        object.__setattr__(self, "rows", rows)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Pose is a value and cannot be changed")

    # ---------------------------------------------------------------- construction

    @classmethod
    def of_rows(cls, rows: Rows) -> "Pose":
        """Make a pose from its twelve numbers, which are not checked.

        Args:
            rows: The upper three rows of the homogeneous 4×4 matrix, row by row. The translation is in metres.
        """
        pose = bare_pose(cls)
        give_rows(pose, rows)
        return pose

    @classmethod
    def of(cls, rotation: Array, translation: Array) -> "Pose":
        """Make a pose from a rotation and a translation.

        Args:
            rotation: A 3×3 rotation matrix, which is not checked.
            translation: Three lengths, in metres.
        """
        (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
        x, y, z = translation.tolist()
        return cls.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))

    @classmethod
    def of_quaternion(cls, wxyz: Sequence[float], at: Sequence[float] = (0.0, 0.0, 0.0)) -> "Pose":
        """Make a pose from a quaternion.

        Args:
            wxyz: The quaternion, scalar first. It need not have unit length.
            at: The translation, in metres.

        Raises:
            GeometryError: The quaternion is zero or not finite.
        """
        w, x, y, z = (float(v) for v in wxyz)
        n = math.sqrt(w * w + x * x + y * y + z * z)
        if not 0.0 < n < math.inf:
            raise GeometryError(
                f"({w:g}, {x:g}, {y:g}, {z:g}) is not a rotation", hint="give a quaternion wxyz, such as (1, 0, 0, 0)"
            )
        w, x, y, z = w / n, x / n, y / n, z / n
        return cls.of_rows(
            (
                1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), float(at[0]),
                2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), float(at[1]),
                2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), float(at[2]),
            )
        )  # fmt: skip

    @classmethod
    def of_rotation_vector(cls, vector: Sequence[float], at: Sequence[float] = (0.0, 0.0, 0.0)) -> "Pose":
        """Make a pose from a rotation vector.

        Args:
            vector: The axis of the rotation times its angle in radians.
            at: The translation, in metres.

        Raises:
            GeometryError: The vector is not finite.
        """
        x, y, z = (float(v) for v in vector)
        angle = math.sqrt(x * x + y * y + z * z)
        k = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
        return cls.of_quaternion((math.cos(angle / 2), k * x, k * y, k * z), at)

    @classmethod
    def of_rpy(cls, roll: float, pitch: float, yaw: float, at: Sequence[float] = (0.0, 0.0, 0.0)) -> "Pose":
        """Make a pose from roll about x, then pitch about y, then yaw about z, all about fixed axes (``rpy`` in URDF).

        Args:
            roll: The angle about x, in radians.
            pitch: The angle about y, in radians.
            yaw: The angle about z, in radians.
            at: The translation, in metres.
        """
        return cls(*at) @ (cls.turn_z(yaw) @ cls.turn_y(pitch) @ cls.turn_x(roll))

    @classmethod
    def turn_x(cls, angle: float) -> "Pose":
        """Return the rotation about x by an ``angle`` in radians."""
        c, s = _turn(angle)
        return cls.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, c, -s, 0.0, 0.0, s, c, 0.0))

    @classmethod
    def turn_y(cls, angle: float) -> "Pose":
        """Return the rotation about y by an ``angle`` in radians."""
        c, s = _turn(angle)
        return cls.of_rows((c, 0.0, s, 0.0, 0.0, 1.0, 0.0, 0.0, -s, 0.0, c, 0.0))

    @classmethod
    def turn_z(cls, angle: float) -> "Pose":
        """Return the rotation about z by an ``angle`` in radians."""
        c, s = _turn(angle)
        return cls.of_rows((c, -s, 0.0, 0.0, s, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0))

    # ---------------------------------------------------------------- use

    def __matmul__(self, other: "Pose") -> "Pose":
        a, b, c, x, d, e, f, y, g, h, i, z = self.rows
        k, m, n, u, o, p, q, v, r, s, t, w = other.rows
        pose = bare_pose(Pose)
        give_rows(
            pose,
            (
                a * k + b * o + c * r, a * m + b * p + c * s, a * n + b * q + c * t, a * u + b * v + c * w + x,
                d * k + e * o + f * r, d * m + e * p + f * s, d * n + e * q + f * t, d * u + e * v + f * w + y,
                g * k + h * o + i * r, g * m + h * p + i * s, g * n + h * q + i * t, g * u + h * v + i * w + z,
            ),
        )  # fmt: skip
        return pose

    def inverse(self) -> "Pose":
        """Return the inverse: the pose of A relative to B."""
        a, b, c, x, d, e, f, y, g, h, i, z = self.rows
        return Pose.of_rows(
            (a, d, g, -(a * x + d * y + g * z), b, e, h, -(b * x + e * y + h * z), c, f, i, -(c * x + f * y + i * z))
        )

    def point(self, p: Sequence[float]) -> Vector:
        """Transform a point ``p`` (in metres) from B to A."""
        a, b, c, x, d, e, f, y, g, h, i, z = self.rows
        u, v, w = p
        return (a * u + b * v + c * w + x, d * u + e * v + f * w + y, g * u + h * v + i * w + z)

    def direction(self, p: Sequence[float]) -> Vector:
        """Transform a direction ``p`` from B to A: it is rotated, but not translated."""
        a, b, c, _, d, e, f, _, g, h, i, _ = self.rows
        u, v, w = p
        return (a * u + b * v + c * w, d * u + e * v + f * w, g * u + h * v + i * w)

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Pose":
        """Return the pose shifted by ``x``, ``y`` and ``z`` (in metres) along the axes of A."""
        a, b, c, px, d, e, f, py, g, h, i, pz = self.rows
        try:
            return Pose.of_rows((a, b, c, px + x, d, e, f, py + y, g, h, i, pz + z))
        except TypeError:
            raise _not_lengths(x, y, z) from None

    @property
    def x(self) -> float:
        """Along x, in metres."""
        return self.rows[3]

    @property
    def y(self) -> float:
        """Along y, in metres."""
        return self.rows[7]

    @property
    def z(self) -> float:
        """Along z, in metres."""
        return self.rows[11]

    @property
    def position(self) -> Vector:
        """The origin of B in A, as three floats."""
        rows = self.rows
        return (rows[3], rows[7], rows[11])

    @property
    def translation(self) -> Array:
        """The origin of B in A, as a new array."""
        rows = self.rows
        return np.array((rows[3], rows[7], rows[11]))

    @property
    def rotation(self) -> Array:
        """The 3×3 rotation matrix, as a new array; its columns are B's axes in A."""
        a, b, c, _, d, e, f, _, g, h, i, _ = self.rows
        return np.array(((a, b, c), (d, e, f), (g, h, i)))

    @property
    def matrix(self) -> Array:
        """The 4×4 homogeneous matrix, as a new array."""
        return np.array((*self.rows, 0.0, 0.0, 0.0, 1.0)).reshape(4, 4)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The rotation as a unit quaternion ``wxyz`` with w ≥ 0."""
        a, b, c, _, d, e, f, _, g, h, i, _ = self.rows
        # Shepperd's method: take the root of the largest of four sums, so that nothing is divided by a small number.
        sums = (a + e + i, a - e - i, e - a - i, i - a - e)
        largest = max(range(4), key=sums.__getitem__)
        r = math.sqrt(1.0 + sums[largest])
        k = 0.5 / r
        quaternion = (
            (0.5 * r, (h - f) * k, (c - g) * k, (d - b) * k),
            ((h - f) * k, 0.5 * r, (d + b) * k, (c + g) * k),
            ((c - g) * k, (d + b) * k, 0.5 * r, (h + f) * k),
            ((d - b) * k, (c + g) * k, (h + f) * k, 0.5 * r),
        )[largest]
        sign = -1.0 if quaternion[0] < 0 else 1.0
        n = sign / math.sqrt(sum(v * v for v in quaternion))
        w, x, y, z = quaternion
        return (w * n, x * n, y * n, z * n)

    @property
    def rotation_vector(self) -> Vector:
        """The rotation as axis times angle, with the angle in 0…π."""
        w, x, y, z = self.quaternion
        sine = math.sqrt(x * x + y * y + z * z)
        k = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
        return (k * x, k * y, k * z)

    @property
    def rpy(self) -> Vector:
        """Roll, pitch, yaw about fixed x, y, z. Pitch is in −90…90°; at ±90°, roll is 0 by convention."""
        a, b, c, _, d, e, f, _, g, _, _, _ = self.rows
        flat = math.sqrt(a * a + d * d)
        if flat < 1e-12:
            return (0.0, math.atan2(-g, flat), math.atan2(-b, e))
        # Roll is computed after removing yaw, so that the three angles stay consistent near ±90°.
        sine, cosine = d / flat, a / flat
        return (math.atan2(sine * c - cosine * f, cosine * e - sine * b), math.atan2(-g, flat), math.atan2(d, a))

    def distance_to(self, other: "Pose") -> tuple[float, float]:
        """Return the distance to an ``other`` pose: metres between the origins, radians between the orientations."""
        w, x, y, z = (self.inverse() @ other).quaternion
        return math.dist(self.position, other.position), 2.0 * math.atan2(math.sqrt(x * x + y * y + z * z), w)

    def towards(self, other: "Pose", share: float) -> "Pose":
        """Interpolate: the position moves along a straight line, and the orientation turns at a constant rate.

        Args:
            other: The pose at the end of the line.
            share: The fraction of the distance, from 0 (this pose) to 1 (the other).
        """
        vector = (self.inverse() @ other).rotation_vector
        turned = self @ Pose.of_rotation_vector([share * v for v in vector])
        at = [p + share * (q - p) for p, q in zip(self.position, other.position, strict=True)]
        a, b, c, _, d, e, f, _, g, h, i, _ = turned.rows
        return Pose.of_rows((a, b, c, at[0], d, e, f, at[1], g, h, i, at[2]))

    def orthonormal(self) -> "Pose":
        """Return the pose with an orthonormal rotation, free of rounding errors from long chains of products."""
        return Pose.of_quaternion(self.quaternion, self.position)

    # ---------------------------------------------------------------- value semantics

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __reduce__(self) -> tuple[object, tuple[Rows]]:
        return (Pose.of_rows, (self.rows,))

    def __repr__(self) -> str:
        # Rounded, plus zero, so that "-0.00" is never shown.
        x, y, z = (round(v * 1e3, 3) + 0.0 for v in self.position)
        roll, pitch, yaw = (round(math.degrees(v), 2) + 0.0 for v in self.rpy)
        return f"Pose({x:.3f}, {y:.3f}, {z:.3f} mm; rpy {roll:.2f}, {pitch:.2f}, {yaw:.2f} deg)"


# Poses are immutable. Only these two functions set the rows directly, in half the time of the constructor.
bare_pose: Final = object.__new__
give_rows: Final[Callable[[Pose, Rows], None]] = Pose.__dict__["rows"].__set__

IDENTITY: Final = Pose.of_rows(_IDENTITY)


def chain(poses: Iterable[Pose]) -> Pose:
    """Return the product of poses, from left to right."""
    product = IDENTITY
    for pose in poses:
        product = product @ pose
    return product


def align_z(direction: Sequence[float], at: Sequence[float] = (0.0, 0.0, 0.0)) -> Pose:
    """Return a pose at a point with its z axis along ``direction`` and its x axis as horizontal as possible."""
    x, y, z = (float(v) for v in direction)
    length = math.sqrt(x * x + y * y + z * z)
    if not 0.0 < length < math.inf:
        raise GeometryError(
            f"({x:g}, {y:g}, {z:g}) is not a direction", hint="give a vector of finite length above zero"
        )
    x, y, z = x / length, y / length, z / length
    level = math.sqrt(x * x + y * y)
    u, v = (-y / level, x / level) if level > 1e-9 else (1.0, 0.0)
    px, py, pz = (float(p) for p in at)
    return Pose.of_rows((u, -z * v, x, px, v, z * u, y, py, 0.0, x * v - y * u, z, pz))
