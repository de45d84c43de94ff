"""Mesh files round-trip in stated units; broken files are rejected by name, with a remedy."""

import json
import math
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from drycell.base import GeometryError, Pose, UnitError, WriteError
from drycell.geometry import Box, Compound, Cylinder, Mesh, Sphere, load_mesh, meshfile, save_mesh


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb"])
@pytest.mark.parametrize("units", ["mm", "m", "in"])
def test_a_saved_mesh_is_loaded_again(tmp_path: Path, suffix: str, units: str) -> None:
    part = Compound(((Pose(), Box(0.1, 0.2, 0.3)), (Pose(0.5), Cylinder(0.05, 0.1))))
    file = tmp_path / f"part.{suffix}"
    save_mesh(part, file, units)
    loaded = load_mesh(file, units)
    assert loaded.is_solid
    assert loaded.volume == pytest.approx(part.volume, rel=5e-3)
    assert np.array(loaded.bounds) == pytest.approx(np.array(part.bounds), abs=1e-6)
    assert [p.name for p in tmp_path.iterdir()] == [file.name]


def test_units_are_stated_and_never_guessed(tmp_path: Path) -> None:
    save_mesh(Box(0.1, 0.1, 0.1), tmp_path / "part.stl", "mm")
    assert load_mesh(tmp_path / "part.stl", "m").volume == pytest.approx(1e6)
    with pytest.raises(TypeError):
        load_mesh(tmp_path / "part.stl")  # type: ignore[call-arg]
    with pytest.raises(UnitError) as caught:
        load_mesh(tmp_path / "part.stl", "mmm")
    assert str(caught.value).splitlines()[0] == "part.stl: 'mmm' is not a unit for meshes"
    assert "try: did you mean 'mm'" in str(caught.value)


def refused(file: Path, units: str = "mm") -> str:
    with pytest.raises(GeometryError) as caught:
        load_mesh(file, units)
    text = str(caught.value)
    assert text.startswith(file.name)
    assert f"at {file}" in text
    assert "try: " in text
    return text


def test_broken_files_are_refused_by_name(tmp_path: Path) -> None:
    assert "missing.stl cannot be read: No such file" in refused(tmp_path / "missing.stl")
    assert "files with suffix '.igs' cannot be read" in refused(tmp_path / "part.igs")
    for kind in ("stl", "obj", "ply", "glb", "gltf"):
        empty = tmp_path / f"empty.{kind}"
        empty.write_bytes(b"")
        assert "the file is empty" in refused(empty)
        noise = tmp_path / f"noise.{kind}"
        noise.write_bytes(bytes(range(256)) * 8)
        refused(noise)
    save_mesh(Sphere(0.1), tmp_path / "ball.stl", "mm")
    whole = (tmp_path / "ball.stl").read_bytes()
    (tmp_path / "cut.stl").write_bytes(whole[: len(whole) // 2])
    assert f"it is damaged: {len(whole) // 50 - 1} triangles need {len(whole)} bytes" in refused(tmp_path / "cut.stl")
    for kind in ("ply", "glb"):
        save_mesh(Sphere(0.1), tmp_path / f"ball.{kind}", "mm")
        whole = (tmp_path / f"ball.{kind}").read_bytes()
        (tmp_path / f"cut.{kind}").write_bytes(whole[: len(whole) // 2])
        assert f"it cannot be read as {kind.upper()}" in refused(tmp_path / f"cut.{kind}")


def test_files_with_bad_numbers_are_refused(tmp_path: Path) -> None:
    def stl(*corners: float) -> bytes:
        return b" " * 80 + struct.pack("<I", 1) + struct.pack("<12fH", 0, 0, 1, *corners, 0)

    (tmp_path / "nan.stl").write_bytes(stl(0, 0, 0, 1, 0, 0, 0, math.nan, 0))
    assert "1 of 3 vertices are not finite numbers" in refused(tmp_path / "nan.stl")
    (tmp_path / "huge.stl").write_bytes(stl(0, 0, 0, 1e30, 0, 0, 0, 1e30, 0))
    assert "the limit is 1e+06 m" in refused(tmp_path / "huge.stl")
    (tmp_path / "flat.stl").write_bytes(stl(0, 0, 0, 0, 0, 0, 0, 0, 0))
    assert "no triangle has an area" in refused(tmp_path / "flat.stl")
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    refused(tmp_path / "points.obj")


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshfile, "MOST_BYTES", 1024)
    (tmp_path / "large.stl").write_bytes(b" " * 2048)
    assert "large.stl is 0 MB; the limit is 0 MB" in refused(tmp_path / "large.stl")


def test_a_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(WriteError, match=r"cannot write .*part.stl: Not a directory|File exists"):
        save_mesh(Box(1, 1, 1), tmp_path / "file" / "part.stl", "mm")
    with pytest.raises(GeometryError, match=r"files with suffix '.gltf' cannot be written"):
        save_mesh(Box(1, 1, 1), tmp_path / "part.gltf", "mm")


@pytest.mark.parametrize("kind", ["stl", "obj", "gltf"])
def test_a_pipe_is_refused_and_does_not_block(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / f"part.{kind}")
    with pytest.raises(GeometryError, match="it is a pipe or a device, not a regular file"):
        load_mesh(tmp_path / f"part.{kind}", units="m")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("pipe", "it refers to 'pipe': it is a pipe or a device"),
        ("../outside.bin", "it refers to '../outside.bin', which is not in or below"),
        ("missing.bin", "it refers to 'missing.bin': No such file"),
    ],
)
def test_a_gltf_file_can_refer_only_to_regular_files_in_its_folder(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "pipe")
    (tmp_path / "outside.bin").write_bytes(bytes(36))
    head = {"asset": {"version": "2.0"}, "buffers": [{"uri": name, "byteLength": 36}], "meshes": [], "scenes": [{}]}
    (tmp_path / "folder" / "part.gltf").write_text(json.dumps(head))
    with pytest.raises(GeometryError, match=re.escape(what)):
        load_mesh(tmp_path / "folder" / "part.gltf", units="m")


STEP = """ISO-10303-21;
HEADER;FILE_DESCRIPTION((''),'2;1');FILE_NAME('','',(''),(''),'','','');FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));ENDSEC;
DATA;ENDSEC;
END-ISO-10303-21;
"""


def test_step_needs_its_extra_and_states_its_own_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "part.step"
    file.write_text(STEP)
    with pytest.raises(UnitError, match=r"a STEP file contains its own units, but units='mm' is given"):
        load_mesh(file, "mm")
    monkeypatch.setitem(sys.modules, "cascadio", None)
    assert "reading STEP needs the extra 'step' (cascadio), which is not installed" in refused(file, "file")
    monkeypatch.undo()
    file.write_text(STEP[:60])
    pytest.importorskip("cascadio")
    assert "it is not a complete STEP file" in refused(file, "file")
    file.write_text(STEP)
    refused(file, "file")


def test_repr_of_a_mesh_shows_its_size() -> None:
    assert repr(Mesh(*Box(1, 1, 1).triangles())) == "Mesh(8 vertices, 12 triangles)"


def test_open_meshes_are_rejected_with_the_number_of_open_edges(tmp_path: Path) -> None:
    vertices, faces = Box(0.1, 0.1, 0.1).triangles()
    save_mesh(Mesh(vertices, faces[:-2]), tmp_path / "open.stl", "mm")
    text = refused(tmp_path / "open.stl")
    assert text.startswith("open.stl: the surface is not closed: it has ")
    assert "open edges (not shared by two triangles)" in text
    assert load_mesh(tmp_path / "open.stl", "mm", solid=False).open_edges > 0


@pytest.mark.parametrize("noise", [1e-16, 1e-12, 1e-9, 1e-7])
def test_vertices_that_differ_by_rounding_are_merged(noise: float) -> None:
    """Each triangle has its own corners, as in STL, with the noise of a CAD system."""
    vertices, faces = Compound(((Pose(), Cylinder(0.05, 0.1)),)).triangles(1e-4)
    random = np.random.default_rng(3)
    corners = vertices[faces.ravel()] + random.uniform(-noise, noise, (faces.size, 3)) * 0.05 / 2
    mesh = Mesh(corners, np.arange(faces.size).reshape(-1, 3))
    assert mesh.is_solid
    assert mesh.volume == pytest.approx(Mesh(vertices, faces).volume, rel=1e-5)
    assert len(mesh.vertices) == len(vertices)


def test_a_gap_that_is_larger_than_rounding_stays_open() -> None:
    vertices, faces = Box(0.1, 0.1, 0.1).triangles()
    corners = vertices[faces.ravel()]
    corners[0] += 1e-5
    assert not Mesh(corners, np.arange(faces.size).reshape(-1, 3)).is_solid
