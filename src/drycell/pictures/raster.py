"""Raster: a page of strokes as pixels, for films of line drawings."""

from typing import Final

import numpy as np

from drycell.pictures.page import Page
from drycell.pictures.renderer import imaging
from drycell.pictures.stage import Image
from drycell.pictures.stroke import HUNDREDTHS

_FINER: Final = 3  # times the page's pixels, averaged when all is drawn


def raster(page: Page) -> Image:
    """The page's strokes as rows of red, green and blue; title and caption are left to the SVG file."""
    imaging()
    import PIL.Image
    import PIL.ImageDraw

    size = (_FINER * page.size[0], _FINER * page.size[1])
    image = PIL.Image.new("RGB", size, page.style.paper or "#ffffff")
    pen = PIL.ImageDraw.Draw(image)
    scale = _FINER / HUNDREDTHS
    for layer in page.layers:
        width = max(1, round(_FINER * layer.width))
        for stroke in layer.strokes:
            pen.line([(scale * x, scale * y) for x, y in stroke], fill=layer.colour, width=width, joint="curve")
    return np.asarray(image.reduce(_FINER), dtype=np.uint8)
