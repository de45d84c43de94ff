"""Draw the thumbnails of the robots and tools in the library again: ``python tools/thumbnails.py [NAME …]``, or all.

They are small shaded pictures (extra ``film``), which the studio's palette shows. Draw one again when its robot's data
has changed: each contains a digest of what it shows, and a test compares it with the library.
"""

import hashlib
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from drycell import Cell, Pose, Robot
from drycell.pictures import save_picture
from drycell.robots import LIBRARY, load_tool, mounted, robot_names, thumbnail, tool_names
from drycell.world import LiveBody

SIZE = 112  # pixels; they are shown half as large, for sharp screens
COLOURS = 48


DIGEST = "Comment"  # the key of the text in the PNG file


def scene(name: str) -> Cell:
    """One robot at its home position, or one tool."""
    cell = Cell(name)
    if name in tool_names():
        mounted(cell, name, load_tool(name), cell.world.add(LiveBody("stand")), Pose())
    else:
        cell.add("arm", Robot(name))
    return cell


def digest(cell: Cell) -> str:
    """A digest of the bodies that a picture of the cell shows: their shapes, places and materials."""
    lines = [
        f"{body.name} {body.shape.key} {body.material} {[round(v, 6) + 0.0 for v in body.pose.matrix.flat]}"
        for body in cell.world.bodies.values()
        if body.shape is not None
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def draw(name: str) -> None:
    """Draw one robot at its home position, or one tool, and save its thumbnail."""
    cell = scene(name)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        save_picture(cell.world, picture, size=(2 * SIZE, 2 * SIZE))
        small = Image.open(picture).convert("RGB").resize((SIZE, SIZE), Image.Resampling.LANCZOS)
    packed = io.BytesIO()
    notes = PngInfo()
    notes.add_text(DIGEST, digest(cell))
    small.quantize(COLOURS).save(packed, "PNG", optimize=True, pnginfo=notes)
    path = LIBRARY / thumbnail(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


if __name__ == "__main__":
    for each in sys.argv[1:] or [*robot_names(), *tool_names()]:
        draw(each)
