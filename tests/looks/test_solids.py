"""Solids of looks are closed, have the volumes that their numbers say, and unit normals that point outwards."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import UnknownName
from drycell.geometry import Box, Taper
from drycell.looks import (
    LookMesh,
    Solid,
    belt,
    box,
    circle,
    cylinder,
    extrude,
    facets,
    loft,
    panel,
    revolve,
    rounded,
    shell,
    sweep,
    tessellate,
    tube,
)

SECTIONS = ((0.0, 0.0, 0.0, 0.05, 0.04, 2.0), (0.1, 0.01, 0.0, 0.04, 0.05, 4.0), (0.2, 0.0, 0.01, 0.03, 0.03, 2.0))
SOLIDS = {
    "box": box(0.3, 0.2, 0.1),
    "thin box": box(0.3, 0.2, 0.001),
    "cylinder": cylinder(0.05, 0.2),
    "cone": cylinder(0.05, 0.2, top=0.02),
    "tube": tube(0.05, 0.04, 0.1),
    "profile": revolve(((0, 0), (0.05, 0), (0.05, 0.02), (0.02, 0.03), (0.02, 0.1), (0, 0.1))),
    "plate with a hole": extrude((rounded(0.2, 0.1, 0.01), circle(0.02)), 0.01),
    "loft": loft(SECTIONS),
    "loft backwards": loft(SECTIONS[::-1], axis="x"),
    "shell": shell(0.3, 0.2, 0.1),
    "sweep": sweep(((0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0.05)), 0.004),
    "belt": belt(1.0, 0.2, 0.03),
    "facets": facets(Taper("z", (0, 0, 0, 0.05, 0.05, 2), (0.2, 0, 0, 0.04, 0.04, 2))),
}


def volume(mesh: LookMesh) -> float:
    """The volume that the triangles enclose, by the divergence theorem."""
    a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def welded(mesh: LookMesh) -> np.ndarray:
    """The faces with equal points merged."""
    _, number = np.unique(np.round(mesh.points * 1e7).astype(np.int64), axis=0, return_inverse=True)
    faces = number.ravel()[mesh.faces]
    return faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]


@pytest.mark.parametrize("solid", SOLIDS.values(), ids=SOLIDS)
def test_solids_are_closed(solid: Solid) -> None:
    faces = welded(tessellate(solid))
    directed = np.concatenate((faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]))
    there, counts = np.unique(directed, axis=0, return_counts=True)
    back = np.unique(directed[:, ::-1], axis=0)
    assert (counts == 1).all()
    assert (there == back).all()


@pytest.mark.parametrize("solid", SOLIDS.values(), ids=SOLIDS)
def test_normals_have_length_one_and_point_outwards(solid: Solid) -> None:
    mesh = tessellate(solid)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-9)
    a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    large = np.linalg.norm(flat, axis=1) > 1e-8
    shading = mesh.normals[mesh.faces].sum(axis=1)
    assert volume(mesh) > 0.0
    assert (np.einsum("ij,ij->i", flat, shading)[large] > 0.0).all()


@pytest.mark.parametrize(
    ("solid", "expected"),
    [
        # A bevel of width r cuts a prism of r²/2 off each edge; the corner pieces are third-order.
        (box(0.3, 0.2, 0.1, 0.002), 0.3 * 0.2 * 0.1 - 4 * (0.3 + 0.2 + 0.1) * 0.002**2 / 2),
        (box(0.3, 0.2, 0.1, 0.0), 0.3 * 0.2 * 0.1),
        # 24 sides: the area of the polygon is n/2 · r² · sin(2π/n).
        (cylinder(0.05, 0.2, 0.0), 12 * 0.05**2 * math.sin(2 * math.pi / 24) * 0.2),
        (tube(0.05, 0.04, 0.1, 0.0), 12 * (0.05**2 - 0.04**2) * math.sin(2 * math.pi / 24) * 0.1),
        (extrude((((0, 0), (0.2, 0), (0, 0.1)),), 0.05, 0.0), 0.5 * 0.2 * 0.1 * 0.05),
        (sweep(((0, 0, 0), (0.5, 0, 0)), 0.01, sides=12), 6 * 0.01**2 * math.sin(2 * math.pi / 12) * 0.5),
        (facets(Box(0.3, 0.2, 0.1)), 0.3 * 0.2 * 0.1),
    ],
)
def test_volumes_are_those_of_the_numbers(solid: Solid, expected: float) -> None:
    assert volume(tessellate(solid)) == pytest.approx(expected, rel=1e-4)


def test_a_belt_encloses_the_volume_of_its_length_width_and_thickness() -> None:
    straight, drum = 2 * (1.0 - 0.06), 2 * math.pi * (0.03 - 0.002)
    assert volume(tessellate(belt(1.0, 0.2, 0.03, 0.004))) == pytest.approx((straight + drum) * 0.2 * 0.004, rel=0.005)


def test_a_loft_between_equal_ellipses_has_the_volume_of_a_cylinder() -> None:
    section = (0.05, 0.04, 2.0)
    mesh = tessellate(loft(((0, 0, 0, *section), (0.3, 0, 0, *section)), points=48, rounding=0.0))
    assert volume(mesh) == pytest.approx(math.pi * 0.05 * 0.04 * 0.3, rel=0.005)


@settings(deadline=None, max_examples=40)
@given(*[st.floats(0.002, 2.0) for _ in range(3)], st.floats(0.0, 0.05))
def test_boxes_of_any_size_stay_within_their_sizes(length: float, width: float, height: float, bevel: float) -> None:
    mesh = tessellate(box(length, width, height, bevel))
    assert np.abs(mesh.points).max(axis=0) == pytest.approx([length / 2, width / 2, height / 2])
    assert len(mesh.faces) == 44
    assert 0.0 < volume(mesh) <= length * width * height * (1 + 1e-9)


def test_a_panel_is_two_triangles_with_a_pattern_in_metres() -> None:
    mesh = tessellate(panel(2.0, 1.0))
    assert len(mesh.faces) == 2
    assert mesh.uv is not None
    assert np.ptp(mesh.uv, axis=0) == pytest.approx([2.0, 1.0])


def test_the_pattern_of_a_belt_runs_along_it_in_metres() -> None:
    mesh = tessellate(belt(1.0, 0.2, 0.03))
    assert mesh.uv is not None
    top = (mesh.points[:, 2] > -1e-9) & (np.abs(mesh.uv[:, 1]) < 1.0) & (mesh.normals[:, 2] > 0.9)
    places = np.unique(np.round(np.column_stack([mesh.points[top, 0], mesh.uv[top, 0]]), 9), axis=0)
    ahead = places[places[:, 1] > 1.0]  # the end of the loop, where u has run around
    assert np.ptp(ahead[:, 1]) == pytest.approx(np.ptp(ahead[:, 0]))
    assert ahead[0, 1] < ahead[-1, 1]


def test_an_unknown_form_is_an_error() -> None:
    with pytest.raises(UnknownName, match="dodecahedron"):
        tessellate(Solid("dodecahedron", (1.0,)))
