"""Collada files: the objects of a scene are read at their poses; damaged files are rejected."""

from pathlib import Path

import numpy as np
import pytest

from drycell.base import GeometryError
from drycell.geometry import collada, load_mesh
from drycell.geometry.collada import collada_triangles

CUBE = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
SIDES = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
TRIANGLES = [(a, *pair) for a, b, c, d in SIDES for pair in ((b, c), (c, d))]


def primitive(kind: str) -> str:
    """The faces of a cube, with a normal at each corner, as the elements of the format write them."""
    corner = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>'
    rows = TRIANGLES if kind in ("triangles", "trifans", "tristrips") else SIDES
    lists = [" ".join(f"{index} 0" for index in row) for row in rows]
    if kind in ("triangles", "polylist"):
        lists = [" ".join(lists)]
    counts = f"<vcount>{' '.join(['4'] * 6)}</vcount>" if kind == "polylist" else ""
    return f"<{kind} count='6'>{corner}{counts}{''.join(f'<p>{each}</p>' for each in lists)}</{kind}>"


def document(scene: str, *, kind: str = "triangles", unit: str = "0.001", nodes: str = "") -> bytes:
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="cube"><mesh>
<source id="p"><float_array id="pa" count="24">{CUBE}</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitive(kind)}
</mesh></geometry></library_geometries>
<library_nodes>{nodes}</library_nodes>
<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


HERE = '<instance_geometry url="#cube"/>'


@pytest.mark.parametrize("kind", ["triangles", "polylist", "polygons", "trifans", "tristrips"])
def test_every_kind_of_primitive_is_read(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "cube.dae"
    file.write_bytes(document(f"<node>{HERE}</node>", kind=kind))
    cube = load_mesh(file, "file")
    assert cube.is_solid
    assert cube.volume == pytest.approx(1e-9)
    assert np.array(cube.bounds) == pytest.approx(np.array([[0, 0, 0], [1e-3, 1e-3, 1e-3]]))


def test_transformations_apply_in_order_and_nodes_can_be_nested() -> None:
    inner = f"<node><scale>1 1 2</scale>{HERE}</node>"
    scene = f"<node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>{inner}</node>"
    vertices, _ = collada_triangles(document(scene, unit="1"))
    # (1, 0, 0) is turned to (0, 1, 0), moved to (10, 1, 0); heights are doubled before both.
    assert np.array([vertices.min(axis=0), vertices.max(axis=0)]) == pytest.approx(np.array([[9, 0, 0], [10, 1, 2]]))


def test_a_node_of_the_library_is_placed_each_time_and_a_matrix_is_row_major() -> None:
    matrix = "<matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix>"
    again = '<instance_node url="#one"/>'
    vertices, faces = collada_triangles(
        document(f"<node>{again}</node><node>{matrix}{again}</node>", unit="1", nodes=f'<node id="one">{HERE}</node>')
    )
    assert len(faces) == 24
    assert vertices.max(axis=0) == pytest.approx([6, 7, 8])


def test_a_mirrored_node_keeps_its_outside_outside(tmp_path: Path) -> None:
    file = tmp_path / "cube.dae"
    file.write_bytes(document(f"<node><scale>-1 1 1</scale>{HERE}</node>"))
    assert load_mesh(file, "file").volume == pytest.approx(1e-9)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (document(f"<node>{HERE}</node>")[:700], "cannot be read as Collada"),
        (
            document('<node><instance_geometry url="#nothing"/></node>'),
            "refers to '#nothing', which is not in the file",
        ),
        (document(f"<node>{HERE}</node>").replace(b"1 1 1 0 1 1</f", b"1 x 1 0 1 1</f"), "could not convert"),
        (
            document(f"<node>{HERE}</node>").replace(b"<p>0 0", b"<p>99 0"),
            "a triangle uses vertex 99, but the file has only 8",
        ),
        (document(f"<node>{HERE}</node>").replace(b"<p>0 0", b"<p>-1 0"), "cannot be read as Collada"),
        (document(f"<node>{HERE}</node>", kind="polylist").replace(b">4 4", b">4 99"), "its polygons need 119 corners"),
        (document("<node></node>"), "it has no triangles"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>", "it is not a plain Collada file"),
        (b"<svg/>", "its root element is 'svg'"),
    ],
)
def test_damaged_files_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(GeometryError, match=said) as caught:
        collada_triangles(content)
    assert caught.value.hint


def test_a_node_that_contains_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = '<instance_node url="#a"/><instance_node url="#a"/>'
    bomb = document('<node><instance_node url="#a"/></node>', nodes=f'<node id="a">{HERE}{twice}</node>')
    with pytest.raises(GeometryError, match="its nodes are more than"):
        collada_triangles(bomb)
    monkeypatch.setattr(collada, "MOST_TRIANGLES", 11)
    with pytest.raises(GeometryError, match="more than 11 triangles"):
        collada_triangles(document(f"<node>{HERE}</node>"))
