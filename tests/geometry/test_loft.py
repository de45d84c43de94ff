"""Tapers and lofts, against scipy's convex hull of the same corners."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial import ConvexHull

from drycell.base import GeometryError
from drycell.geometry import Loft, Taper

lengths = st.floats(-0.2, 0.2)
halves = st.floats(1e-3, 0.2)
exponents = st.sampled_from([0.6, 1.0, 1.5, 2.0, 2.2, 5.0, 11.2, 30.0, 80.0])
sections = st.tuples(lengths, lengths, halves, halves, exponents)


def check(taper: Taper) -> None:
    """The solid of a taper is the convex hull of its corners."""
    vertices, faces = taper.triangles()
    hull, size = ConvexHull(vertices), float(np.ptp(vertices, axis=0).max())
    assert taper.is_solid
    assert taper.volume == pytest.approx(hull.volume, rel=1e-9)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    wide = areas > 1e-9 * areas.max()
    normals = normals[wide] / areas[wide, None]
    beyond = vertices @ normals.T - np.einsum("ij,ij->i", normals, a[wide])
    assert beyond.max() < 1e-9 * size  # every side is a plane of the hull
    spaces = taper.half_spaces
    assert (vertices @ spaces.normals.T - spaces.offsets).max() < 1e-9 * size
    inner = np.average(vertices[hull.vertices], axis=0)
    for plane, corners in zip(hull.equations, hull.simplices, strict=True):
        middle = vertices[corners].mean(axis=0)
        assert taper.contains(tuple((middle + 1e-3 * (inner - middle)).tolist()))
        assert not taper.contains(tuple((middle + 1e-6 * plane[:3]).tolist()))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from("xyz"), sections, sections, st.floats(1e-3, 0.3), st.booleans())
def test_a_taper_is_the_hull_of_its_two_sections(axis, one, other, length, downwards):
    check(Taper(axis, (0.0, *one), (-length if downwards else length, *other)))


@pytest.mark.parametrize("turned", [0.0, 1e-17, -1e-17, 1e-12])
def test_a_taper_between_equal_or_almost_equal_sections(turned):
    """Their edges are parallel, or turned by rounding: no side may be missing or doubled."""
    check(Taper("y", (0.0, turned, 0.0, 0.07, 0.08, 80.0), (0.1, 0.0, turned, 0.07, 0.08, 30.0)))
    check(Taper("z", (0.0, 0.0, 0.0, 0.05, 0.05, 2.0), (0.1, turned, turned, 0.05, 0.05 + turned, 2.0)))


def test_a_round_taper_has_24_flat_sides_and_two_lids():
    assert len(Taper("z", (0.0, 0.0, 0.0, 0.05, 0.05, 2.0), (0.1, 0.0, 0.0, 0.03, 0.03, 2.0)).half_spaces.normals) == 26


def test_a_taper_without_length_is_refused():
    with pytest.raises(GeometryError, match="both sections are in one plane"):
        Taper("z", (0.1, 0.0, 0.0, 0.05, 0.05, 2.0), (0.1, 0.0, 0.0, 0.03, 0.03, 2.0)).triangles()


def test_a_cone_as_a_loft_has_its_volume():
    """A frustum of 24 sides: 24/2·sin(15°)·h/3·(R² + R·r + r²)."""
    loft = Loft("x", ((0.0, 0.0, 0.0, 50.0, 50.0, 2.0), (120.0, 0.0, 0.0, 20.0, 20.0, 2.0)), units="mm")
    sides = 12.0 * np.sin(np.radians(15.0))
    expected = sides * 0.12 / 3.0 * (0.05**2 + 0.05 * 0.02 + 0.02**2)
    assert loft.solid(None).volume == pytest.approx(expected, rel=1e-6)
