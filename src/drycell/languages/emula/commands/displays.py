"""Display control: when pictures are drawn, of what, and how they follow each other."""

from pathlib import Path

from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.output import plain_name
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Refusal


@routine("draw", group="display")
def draw(call: Invocation) -> None:
    """Draws the model as it is now."""
    call.session.emulation.display.draw()


@routine("erase", group="display")
def erase(call: Invocation) -> None:
    """Erases the display: the next drawing begins a new picture."""
    call.session.emulation.display.erase()


@routine("setdisplay", "setdisplay (1)", group="display", arguments=(1, 1))
def setdisplay(call: Invocation) -> None:
    """Turns drawing during moves on (1) or off (0)."""
    call.session.emulation.display.set_display(int(call.flag(0)))


@routine("setdisplaytk", "setdisplaytk (cycles)", group="display", arguments=(1, 1))
def setdisplaytk(call: Invocation) -> None:
    """Draws moves once in so many basic cycles, and at their end; 0: only there."""
    cycles = call.integer(0)
    if not 0 <= cycles <= 1_000_000:
        raise Refusal(f"a drawing every {cycles} cycles is not possible", "0 to 1000000 are")
    call.session.emulation.display.set_every(cycles)


@routine("setdrawall", "setdrawall (1)", group="display", arguments=(1, 1))
def setdrawall(call: Invocation) -> None:
    """Redraws the whole model each time (1), or only what moves (0)."""
    call.session.emulation.display.set_draw_all(call.flag(0))


@routine("seterase", "seterase (1)", group="display", arguments=(1, 1))
def seterase(call: Invocation) -> None:
    """Erases between drawings (1), or lets exposures add up (0)."""
    call.session.emulation.display.set_erase(call.flag(0))


@routine("setshaded", "setshaded (1)", group="display", arguments=(1, 1))
def setshaded(call: Invocation) -> None:
    """Draws shaded pictures as PNG files, one an instant (1), or line drawings (0)."""
    call.session.emulation.display.set_shaded(call.flag(0))


@routine("setview", "setview (front)", "setview (iso, zoom, <x,y,z>)", group="display", arguments=(1, 5))
def setview(call: Invocation) -> None:
    """Chooses the view from which pictures are drawn (iso, front, back, left, right, top), how near, and on what."""
    zoom = call.number(1) if len(call) > 1 else 1.0
    focus = None
    if len(call) > 2:
        unit = call.session.measure.length
        x, y, z = call.vector(call.arguments[2:], "a point to look at")
        focus = (x * unit, y * unit, z * unit)
    call.session.emulation.display.set_view(call.name(0), zoom, focus)


@routine("setfilm", "setfilm ('name.mp4'[, lines])", "setfilm (0)", group="display", arguments=(1, 2))
def setfilm(call: Invocation) -> None:
    """Begins a film of 24 frames a second in the output folder, shaded or as line drawings, or ends it (0)."""
    name = call.name_or_value(0)
    lines = len(call) > 1
    if lines and call.name(1).lower() != "lines":
        raise Refusal(f"a film cannot be made of {call.name(1)!r}", "setfilm ('name.mp4', lines), or without: shaded")
    display = call.session.emulation.display
    if isinstance(name, str):
        display.film(Path(plain_name(name)), lines=lines)
    elif call.flag(0):
        display.film(Path("emula.mp4"), lines=lines)
    else:
        display.film(None)
