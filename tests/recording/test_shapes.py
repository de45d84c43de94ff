"""Shapes and mechanisms as plain data come back as the same values."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell import Cell, Model
from drycell.base import Pose, RecordingError
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, Mesh, Prism, Shape, Sphere
from drycell.recording import Recording, shape_data, shape_from
from drycell.recording.container import DocumentNode
from drycell.recording.shapes import Meshes
from drycell.robots import Drive, Joint, Link, Mark, Mechanism
from drycell.robots.recorded_mechanism import mechanism_data, mechanism_from

LENGTH = st.floats(1e-3, 10.0)
ANGLE = st.floats(-3.0, 3.0)
POSES = st.builds(lambda a, b, c, x: Pose.of_rpy(a, b, c, (x, -x, 2 * x)), ANGLE, ANGLE, ANGLE, LENGTH)
TETRAHEDRON = Mesh(
    np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 1 / 3)]),
    np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
)
SIMPLE = st.one_of(
    st.builds(Box, LENGTH, LENGTH, LENGTH),
    st.builds(Cylinder, LENGTH, LENGTH),
    st.builds(Cone, LENGTH, LENGTH, LENGTH),
    st.builds(Sphere, LENGTH),
    st.builds(Capsule, LENGTH, LENGTH),
    st.builds(lambda a, b, c: Prism(((0, 0), (a, 0), (a, b), (0, b)), c), LENGTH, LENGTH, LENGTH),
    st.just(TETRAHEDRON),
)
SHAPES = st.recursive(
    SIMPLE, lambda inner: st.builds(Compound, st.lists(st.tuples(POSES, inner), min_size=1, max_size=3).map(tuple))
)


def through_json(shape: Shape) -> Shape:
    meshes: Meshes = {}
    text = json.dumps(shape_data(shape, meshes))
    return shape_from(json.loads(text), meshes.__getitem__)


@given(SHAPES)
@settings(max_examples=100, deadline=None)
def test_a_shape_comes_back_from_its_data_with_the_same_key(shape):
    again = through_json(shape)
    assert again == shape
    assert type(again) is type(shape)


def test_the_data_of_a_shape_are_its_fields():
    assert shape_data(Cylinder(0.01, 0.05), {}) == {"kind": "cylinder", "radius": 0.01, "length": 0.05}
    assert shape_data(Prism(((0, 0), (1, 0), (0, 1)), 2.0), {}) == {
        "kind": "prism",
        "outline": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        "length": 2.0,
    }


def test_the_arrays_of_a_mesh_are_stored_once():
    meshes: Meshes = {}
    both = Compound(((Pose(), TETRAHEDRON), (Pose(1, 0, 0), TETRAHEDRON)))
    shape_data(both, meshes)
    assert list(meshes) == [TETRAHEDRON.key.removeprefix("mesh ")]


def test_a_mesh_with_a_wrong_checksum_is_refused():
    meshes: Meshes = {}
    data = shape_data(TETRAHEDRON, meshes)
    vertices, faces = meshes.popitem()[1]
    with pytest.raises(RecordingError, match="does not match its checksum"):
        shape_from(data, lambda digest: (vertices * 2, faces))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"kind": "blob"}, "'shape.kind' is 'blob', expected one of box, capsule"),
        ({"radius": 1}, "'shape.kind' is missing"),
        ({"kind": "prism", "outline": [[0, 0, 0]], "length": 1}, r"'shape.outline[0]' is [0, 0, 0], expected 2 values"),
        ({"kind": "prism", "outline": 3, "length": 1}, "'shape.outline' is 3, expected a list"),
        ({"kind": "sphere", "radius": "large"}, "'shape.radius' is 'large', expected a number"),
        ([], "'shape' is [], expected an object"),
    ],
)
def test_data_that_are_not_a_shape_are_refused_by_entry(data, text):
    with pytest.raises(RecordingError) as refused:
        shape_from(data, dict.__getitem__)
    assert text in str(refused.value)


def test_a_shape_of_an_unknown_kind_is_refused():
    class Blob(Box):
        pass

    with pytest.raises(RecordingError, match="a shape of type Blob cannot be written as data"):
        shape_data(Blob(1, 1, 1), {})


EGG = """
from drycell.base.schema import Size
from drycell.geometry import Sphere
from drycell.geometry.shape import content


class Egg(Sphere, kind="egg"):
    name: str = "hen's"
    yolks: tuple[tuple[Size, Size], ...] = ((0.1, 0.2),)
    inner: Sphere | None = None
    free: bool = True

    @property
    def key(self):
        return content("egg", self.radius) + self.name
"""


def test_a_custom_shape_is_read_back_if_its_class_is_known(tmp_path):
    (tmp_path / "egg.py").write_text(EGG)
    (tmp_path / "cell.yaml").write_text("uses: [egg.py]\nbodies: {e: {shape: {egg: {radius: 30 mm, name: duck}}}}\n")
    cell = Cell(Model.load(tmp_path, trusted=True))
    egg = cell["e"].shape
    assert shape_data(egg, {}) == {
        "kind": "egg",
        "radius": 0.03,
        "name": "duck",
        "yolks": [[0.1, 0.2]],
        "inner": None,
        "free": True,
    }
    assert through_json(egg) == egg
    whole = egg.changed(inner=Sphere(1 / 3), yolks=((0.3, 0.1 + 0.2),))
    again = through_json(whole)
    assert (again.inner, again.yolks, type(again)) == (Sphere(1 / 3), whole.yolks, type(egg))
    cell.run(1.0, record=tmp_path / "run.drycell")
    with Recording.open(tmp_path / "run.drycell") as recording:
        assert [body.shape for body in recording.bodies if body.name == "e"] == [egg]


def test_error_for_a_shape_of_an_unknown_class_says_what_to_do():
    with pytest.raises(RecordingError, match="'ostrich_egg'") as refused:
        shape_from({"kind": "ostrich_egg", "radius": 0.1}, dict.__getitem__)
    assert "import the Python file that defines it" in refused.value.hint


@given(st.lists(st.tuples(ANGLE, ANGLE, LENGTH), min_size=1, max_size=7), st.data())
@settings(max_examples=50, deadline=None)
def test_a_mechanism_reads_back_with_identical_link_poses(rows, data):
    joints = tuple(Joint(f"j{k}", "revolute", -math.inf, math.inf, 1.0, 2.0, math.inf) for k in range(len(rows)))
    links = tuple(
        Link(f"l{k}", k - 1, Pose.of_rpy(a, b, 0.3, (c, 0, 0)), (Drive(k, "revolute", ratio=-0.5, offset=b),))
        for k, (a, b, c) in enumerate(rows)
    )
    mechanism = Mechanism(
        "any", joints, links, Mark(len(rows) - 1, Pose(0, 0, 0.1)), frames=(("tip", Mark(0, Pose.turn_x(0.1))),)
    )
    again = mechanism_from(DocumentNode(json.loads(json.dumps(mechanism_data(mechanism)))))
    assert again == mechanism
    values = [data.draw(ANGLE) for _ in rows]
    assert [p.rows for p in again.link_poses(values)] == [p.rows for p in mechanism.link_poses(values)]
