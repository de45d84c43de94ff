"""The libraries of the extra ``film``, loaded when a picture or a film first needs them."""

import os
from types import ModuleType

from drycell.base import DrycellError


def renderer() -> ModuleType:
    """pyvista, set up to render without a screen."""
    if "DISPLAY" not in os.environ:
        # Else VTK complains of the X server first.
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    try:
        import pyvista
    except ImportError:
        raise _missing("shaded pictures", "pyvista") from None
    module: ModuleType = pyvista
    return module


def encoder() -> ModuleType:
    """imageio-ffmpeg, which brings the program that writes MP4."""
    try:
        import imageio_ffmpeg  # type: ignore[import-untyped]
    except ImportError:
        raise _missing("MP4 films", "imageio-ffmpeg") from None
    module: ModuleType = imageio_ffmpeg
    return module


def imaging() -> ModuleType:
    """Pillow, which draws lines on pixels and writes GIF."""
    try:
        import PIL.Image
    except ImportError:
        raise _missing("films", "pillow") from None
    return PIL


def _missing(what: str, library: str) -> DrycellError:
    return DrycellError(
        f"{what} need the library {library}, which is not installed", hint="pip install 'drycell[film]'"
    )
