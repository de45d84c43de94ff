"""Cell files: the format as types, reading with file, line and field in every message, and saving.

A cell file is data: nothing in it is executed, and the programs it names are not opened here. May use fields, units,
errors and spatial; building a cell from what was read is the work of the package above.
"""

from drycell.cell.file.model import (
    BodySpec,
    CellFile,
    ChecksSpec,
    CrashSpec,
    Placed,
    PlacedBody,
    ProgramSpec,
    RobotSpec,
    RunSpec,
    ToolSpec,
    WorkpointSpec,
)
from drycell.cell.file.reader import load_cell_file, read_cell_file
from drycell.cell.file.section import Section, register_section
from drycell.cell.file.shape import (
    CapsuleSpec,
    ConeSpec,
    CylinderSpec,
    MeshSpec,
    PrismSpec,
    ShapeSpec,
    SphereSpec,
)
from drycell.cell.file.writer import cell_file_text, save_cell_file

__all__ = [
    "BodySpec",
    "CapsuleSpec",
    "CellFile",
    "ChecksSpec",
    "ConeSpec",
    "CrashSpec",
    "CylinderSpec",
    "MeshSpec",
    "Placed",
    "PlacedBody",
    "PrismSpec",
    "ProgramSpec",
    "RobotSpec",
    "RunSpec",
    "Section",
    "ShapeSpec",
    "SphereSpec",
    "ToolSpec",
    "WorkpointSpec",
    "cell_file_text",
    "load_cell_file",
    "read_cell_file",
    "register_section",
    "save_cell_file",
]
