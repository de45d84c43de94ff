"""Draw the thumbnails of the robots and tools in the library again: ``python tools/thumbnails.py [NAME …]``, or all.

They are small shaded pictures (extra ``film``), which the studio's palette shows. Draw one again when its robot's data
has changed.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from drycell import Cell, Pose, Robot
from drycell.pictures import save_picture
from drycell.robots import LIBRARY, load_tool, mounted, robot_names, thumbnail, tool_names
from drycell.world import LiveBody

SIZE = 112  # pixels; they are shown half as large, for sharp screens
COLOURS = 48


def draw(name: str) -> None:
    """Draw one robot at its home position, or one tool, and save its thumbnail."""
    cell = Cell(name)
    if name in tool_names():
        mounted(cell, name, load_tool(name), cell.world.add(LiveBody("stand")), Pose())
    else:
        cell.add("arm", Robot(name))
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        save_picture(cell.world, picture, size=(2 * SIZE, 2 * SIZE))
        small = Image.open(picture).convert("RGB").resize((SIZE, SIZE), Image.Resampling.LANCZOS)
    packed = io.BytesIO()
    small.quantize(COLOURS).save(packed, "PNG", optimize=True)
    path = LIBRARY / thumbnail(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


if __name__ == "__main__":
    for each in sys.argv[1:] or [*robot_names(), *tool_names()]:
        draw(each)
