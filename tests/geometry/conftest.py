"""Random rigid placements and shapes, shared by the tests of geometry."""

import math

import pytest
from hypothesis import strategies as st

from drycell.base import Pose
from drycell.geometry import Box, Capsule, Cone, Cylinder, Prism, Shape, Sphere


def _number(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


def _pose(reach: float) -> st.SearchStrategy[Pose]:
    part = _number(-1.0, 1.0)
    wxyz = st.tuples(part, part, part, part).filter(lambda q: math.hypot(*q) > 0.1)
    at = st.tuples(*[_number(-reach, reach)] * 3)
    return st.builds(Pose.of_quaternion, wxyz, at)


_SIZE = _number(0.01, 0.5)
_L = ((0.0, 0.0), (0.1, 0.0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.1), (0.0, 0.1))
_PRIMITIVES: list[st.SearchStrategy[Shape]] = [
    st.builds(Box, _SIZE, _SIZE, _SIZE),
    st.builds(Cylinder, _SIZE, _SIZE),
    st.builds(Cone, _SIZE, _SIZE),
    st.builds(Cone, _SIZE, _SIZE, _SIZE),
    st.builds(Sphere, _SIZE),
    st.builds(Capsule, _SIZE, _SIZE),
]


class Strategies:
    """What hypothesis draws from."""

    number = staticmethod(_number)
    pose = staticmethod(_pose)
    size = _SIZE
    primitive = st.one_of(_PRIMITIVES)
    shape = st.one_of(*_PRIMITIVES, st.builds(Prism, st.just(_L), _SIZE))


@pytest.fixture(scope="session")
def draw() -> type[Strategies]:
    """The strategies, for tests that draw with ``st.data()``."""
    return Strategies
