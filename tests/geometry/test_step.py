"""STEP files state their own units: a box written here by hand, as a boundary representation, comes back in metres."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from drycell.geometry import Box, Shape, load_mesh

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
def test_a_step_file_comes_back_in_metres_whatever_its_unit(tmp_path: Path, prefix: str, per_metre: float) -> None:
    file = tmp_path / "box.step"
    file.write_text(str(StepText(Box(0.1, 0.2, 0.3), prefix, per_metre)))
    mesh = load_mesh(file, "file")
    assert mesh.is_solid
    assert np.array(mesh.bounds) == pytest.approx(np.array(Box(0.1, 0.2, 0.3).bounds), abs=1e-7)
    assert mesh.volume == pytest.approx(0.006, rel=1e-6)
