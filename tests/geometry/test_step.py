"""STEP files state their own units: a box written here by hand, as a boundary representation, comes back in metres."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from drycell.base import GeometryError, Pose, UnitError
from drycell.geometry import Box, Compound, Cylinder, Mesh, Shape, Sphere, load_mesh, merge, save_mesh

pytest.importorskip("cascadio")


class StepText:
    """A solid with flat faces as the text of a STEP file (AP214), in a chosen unit."""

    def __init__(self, shape: Shape, prefix: str, per_metre: float) -> None:
        self.lines: list[str] = []
        self.vertices, self.faces = shape.triangles()
        self.vertices = self.vertices * per_metre
        self.points = [self.add(f"CARTESIAN_POINT('',{self.numbers(v)})") for v in self.vertices]
        self.corners = [self.add(f"VERTEX_POINT('',{point})") for point in self.points]
        self.edges: dict[tuple[int, int], str] = {}
        sides = ",".join(self.side(face) for face in self.faces.tolist())
        shell = self.add(f"CLOSED_SHELL('',({sides}))")
        solid = self.add(f"MANIFOLD_SOLID_BREP('',{shell})")
        origin = self.add("CARTESIAN_POINT('',(0.,0.,0.))")
        frame = self.frame(origin, np.array((0, 0, 1)), np.array((1, 0, 0)))
        representation = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({frame},{solid}),{self.space(prefix)})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({self.product()},{representation})")

    def __str__(self) -> str:
        head = "HEADER;FILE_DESCRIPTION((''),'2;1');FILE_NAME('','',(''),(''),'','','');"
        data = "\n".join(self.lines)
        head += "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));ENDSEC;"
        return f"ISO-10303-21;\n{head}\nDATA;\n{data}\nENDSEC;\nEND-ISO-10303-21;\n"

    def add(self, entity: str) -> str:
        self.lines.append(f"#{len(self.lines) + 1}={entity};")
        return f"#{len(self.lines)}"

    @staticmethod
    def numbers(values: np.ndarray) -> str:
        return "(" + ",".join(f"{value:.9f}" for value in values) + ")"

    def direction(self, vector: np.ndarray) -> str:
        return self.add(f"DIRECTION('',{self.numbers(vector / np.linalg.norm(vector))})")

    def frame(self, point: str, z: np.ndarray, x: np.ndarray) -> str:
        return self.add(f"AXIS2_PLACEMENT_3D('',{point},{self.direction(z)},{self.direction(x)})")

    def edge(self, a: int, b: int) -> str:
        if (b, a) in self.edges:
            return self.add(f"ORIENTED_EDGE('',*,*,{self.edges[b, a]},.F.)")
        vector = self.add(f"VECTOR('',{self.direction(self.vertices[b] - self.vertices[a])},1.)")
        line = self.add(f"LINE('',{self.points[a]},{vector})")
        self.edges[a, b] = self.add(f"EDGE_CURVE('',{self.corners[a]},{self.corners[b]},{line},.T.)")
        return self.add(f"ORIENTED_EDGE('',*,*,{self.edges[a, b]},.T.)")

    def side(self, face: list[int]) -> str:
        a, b, c = self.vertices[face]
        loop = self.add(f"EDGE_LOOP('',({','.join(self.edge(*ends) for ends in pairwise([*face, face[0]]))}))")
        bound = self.add(f"FACE_OUTER_BOUND('',{loop},.T.)")
        plane = self.add(f"PLANE('',{self.frame(self.points[face[0]], np.cross(b - a, c - a), b - a)})")
        return self.add(f"ADVANCED_FACE('',({bound}),{plane},.T.)")

    def space(self, prefix: str) -> str:
        length = self.add(f"(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT({prefix},.METRE.))")
        angle = self.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
        solid_angle = self.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
        blur = self.add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-6),{length},'','')")
        return self.add(
            f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({blur}))"
            f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle}))REPRESENTATION_CONTEXT('',''))"
        )

    def product(self) -> str:
        context = self.add("APPLICATION_CONTEXT('automotive design')")
        mechanical = self.add(f"PRODUCT_CONTEXT('',{context},'mechanical')")
        product = self.add(f"PRODUCT('part','part','',({mechanical}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        design = self.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{context},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('design','',{formation},{design})")
        return self.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")


@pytest.mark.parametrize(("prefix", "per_metre"), [(".MILLI.", 1e3), ("$", 1.0)])
def test_a_step_file_is_read_in_metres_from_any_unit(tmp_path: Path, prefix: str, per_metre: float) -> None:
    file = tmp_path / "box.step"
    file.write_text(str(StepText(Box(0.1, 0.2, 0.3), prefix, per_metre)))
    mesh = load_mesh(file, "file")
    assert mesh.is_solid
    assert np.array(mesh.bounds) == pytest.approx(np.array(Box(0.1, 0.2, 0.3).bounds), abs=1e-7)
    assert mesh.volume == pytest.approx(0.006, rel=1e-6)


# ---------------------------------------------------------------- round surfaces, and files that drycell writes


class RoundText(StepText):
    """A cylinder on the xy plane with its true surfaces, in mm."""

    def __init__(self, radius: float, height: float) -> None:
        self.lines = []
        quote = "''"
        corners = [self.add(f"VERTEX_POINT('',{self.point(radius, z)})") for z in (0.0, height)]
        circles = [self.add(f"CIRCLE('',{self.level(z)},{radius})") for z in (0.0, height)]
        bottom, top = (
            self.add(f"EDGE_CURVE('',{corner},{corner},{circle},.T.)")
            for corner, circle in zip(corners, circles, strict=True)
        )
        vector = self.add(f"VECTOR('',{self.add(f'DIRECTION({quote},(0.,0.,1.))')},{height})")
        line = self.add(f"LINE('',{self.point(radius, 0.0)},{vector})")
        seam = self.add(f"EDGE_CURVE('',{corners[0]},{corners[1]},{line},.T.)")
        around = self.add(f"CYLINDRICAL_SURFACE('',{self.level(0.0)},{radius})")
        planes = [self.add(f"PLANE('',{self.level(z)})") for z in (0.0, height)]
        faces = ",".join(
            (
                self.bounded([(bottom, "T"), (seam, "T"), (top, "F"), (seam, "F")], around, "T"),
                self.bounded([(bottom, "F")], planes[0], "F"),
                self.bounded([(top, "T")], planes[1], "T"),
            )
        )
        solid = self.add(f"MANIFOLD_SOLID_BREP('',{self.add(f'CLOSED_SHELL({quote},({faces}))')})")
        shape = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({self.level(0.0)},{solid}),{self.space('.MILLI.')})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({self.product()},{shape})")

    def point(self, x: float, z: float) -> str:
        return self.add(f"CARTESIAN_POINT('',({x!r},0.,{z!r}))")

    def level(self, z: float) -> str:
        return self.frame(self.point(0.0, z), np.array((0, 0, 1)), np.array((1, 0, 0)))

    def bounded(self, edges: list[tuple[str, str]], surface: str, sense: str) -> str:
        ring = ",".join(self.add(f"ORIENTED_EDGE('',*,*,{edge},.{way}.)") for edge, way in edges)
        bound = self.add(f"FACE_OUTER_BOUND('',{self.add(f'EDGE_LOOP({chr(39) * 2},({ring}))')},.T.)")
        return self.add(f"ADVANCED_FACE('',({bound}),{surface},.{sense}.)")


def test_facets_of_a_round_surface_are_within_a_hundredth_of_a_millimetre(tmp_path: Path) -> None:
    (tmp_path / "pin.step").write_text(str(RoundText(20.0, 50.0)))
    vertices, faces = load_mesh(tmp_path / "pin.step", "file").triangles()
    corners = vertices[faces]
    points = np.concatenate((corners.mean(axis=1), 0.5 * (corners + corners[:, [1, 2, 0]]).reshape(-1, 3)))
    side = points[(points[:, 2] > 1e-6) & (points[:, 2] < 0.05 - 1e-6)]
    assert np.abs(np.hypot(side[:, 0], side[:, 1]) - 0.02).max() < 1e-5


CUBE = Box(0.1, 0.1, 0.1)


@pytest.mark.parametrize(
    ("shape", "faces", "solids", "volume"),
    [
        (Box(0.1, 0.06, 0.02), 6, 1, 1.2e-4),
        (merge([(Pose(), CUBE)], [(Pose(), Box(0.05, 0.05, 0.2))]), 10, 1, 1e-3 - 0.05**2 * 0.1),  # faces with a hole
        (merge([(Pose(), CUBE)], [(Pose(), Box(0.05, 0.05, 0.05))]), 12, 1, 1e-3 - 0.05**3),  # a void
        (Compound(((Pose(), CUBE), (Pose(x=0.3), CUBE))), 12, 2, 2e-3),
        (Compound(((Pose(), CUBE), (Pose(0.05, 0.01, 0.02), CUBE))), 12, 1, 2e-3 - 0.05 * 0.09 * 0.08),  # overlapping
        (merge([(Pose(), CUBE), (Pose(0.1, 0.1), CUBE)]), 12, 2, 2e-3),  # with an edge in common
    ],
)
def test_a_solid_is_written_with_planar_faces_and_read_again(
    tmp_path: Path, shape: Shape, faces: int, solids: int, volume: float
) -> None:
    save_mesh(shape, tmp_path / "part.step", "file")
    text = (tmp_path / "part.step").read_text()
    assert text.count("ADVANCED_FACE(") == faces
    assert text.count("MANIFOLD_SOLID_BREP(") + text.count("BREP_WITH_VOIDS(") == solids
    read = load_mesh(tmp_path / "part.step", "file")
    assert read.mass_properties.volume == pytest.approx(volume, rel=1e-6)
    assert np.array(read.bounds) == pytest.approx(np.array(shape.bounds), abs=1e-8)


def test_facets_of_a_written_ball_are_within_the_deviation(tmp_path: Path) -> None:
    save_mesh(Sphere(0.03), tmp_path / "ball.stp", "file", deviation=5e-4)
    read = load_mesh(tmp_path / "ball.stp", "file")
    distances = np.linalg.norm(read.triangles()[0], axis=1)
    assert np.abs(distances - 0.03).max() < 1e-8
    assert (
        Sphere(0.03).mass_properties.volume * 0.93 < read.mass_properties.volume < Sphere(0.03).mass_properties.volume
    )


def test_a_written_file_is_always_the_same_and_keeps_its_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        save_mesh(Cylinder(0.02, 0.05), tmp_path / folder / "O'Neill's pin.step", "file")
    first, second = ((tmp_path / folder / "O'Neill's pin.step").read_bytes() for folder in ("a", "b"))
    assert first == second
    assert b"PRODUCT('O''Neill''s pin'" in first
    assert load_mesh(tmp_path / "a" / "O'Neill's pin.step", "file").is_solid


def test_an_open_surface_is_not_written_as_a_solid(tmp_path: Path) -> None:
    vertices, faces = CUBE.triangles()
    with pytest.raises(GeometryError):
        save_mesh(Mesh(vertices, faces[:-1]), tmp_path / "open.step", "file")
    assert not (tmp_path / "open.step").exists()


def test_step_is_written_in_its_own_units(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match="units='mm' is given"):
        save_mesh(CUBE, tmp_path / "part.step", "mm")
