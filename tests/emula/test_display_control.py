"""Display control: which instants are drawn on which page, and that the pages become files."""

from pathlib import Path
from typing import ClassVar

import pytest

from drycell.base import ProgramError, UnknownName, inch
from drycell.languages.emula import SensorGuard


class Page:
    """Replaces a line drawing, and records what it was asked to draw."""

    made: ClassVar[list["Page"]] = []

    def __init__(self, world, camera=None, **_) -> None:
        self.camera, self.exposures, self.saved = camera, [], []
        Page.made.append(self)

    def expose(self, at, bodies=None, **_) -> None:
        self.exposures.append((at, None if bodies is None else sorted(body.name for body in bodies)))

    def save(self, path) -> None:
        self.saved.append(Path(path).name)


@pytest.fixture
def pages(monkeypatch):
    Page.made = []
    monkeypatch.setattr("drycell.languages.emula.display.LineDrawing", Page)
    return Page.made


def test_table_3_draws_what_its_comments_say(session, pages) -> None:
    emulation = session.emulation
    display = emulation.display

    def program() -> None:
        display.draw()
        display.set_every(5)
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_by({"x": -2 * inch, "y": 10 * inch, "z": 8 * inch})
        display.erase()
        display.set_draw_all(True)
        display.set_erase(True)
        emulation.move_by({"z": -10 * inch}, SensorGuard((1,), 10))
        display.draw()
        display.set_display(0)
        emulation.move_to({"gripper": 3.25 * inch})
        display.draw()
        display.set_display(1)
        emulation.set_increment(False)
        emulation.move_by({"z": 10 * inch})

    session.run(program)
    emulation.close()
    moving = [f"robot/{node}" for node in ("arm", "bridge", "column", "finger1", "finger2", "hand", "knuckle", "wrist")]
    # Figure 2(a) and (b): the whole model, then the moving parts over it, every 5th of 25 cycles of 0.1 s.
    assert pages[0].exposures == [(0, None), *((500_000 * k, moving) for k in range(1, 6))]
    # Figure 2(c): erased between drawings, so a page each, up to the stop in the 20th cycle; then DRAW once more.
    assert [page.exposures for page in pages[1:6]] == [
        [(3_000_000, None)],
        [(3_500_000, None)],
        [(4_000_000, None)],
        [(4_500_000, None)],
        [(4_500_000, None)],
    ]
    # Drawing is off while the fingers open for 8.2 s; a complete move of one cycle is drawn at its end.
    assert [page.exposures for page in pages[6:]] == [[(12_800_000, None)]]
    assert [page.saved for page in pages] == [[f"emula-00{k}.svg"] for k in range(1, 8)]
    assert [path.name for path in display.pages] == [f"emula-00{k}.svg" for k in range(1, 8)]


def test_by_default_only_draw_draws(session, pages) -> None:
    session.run(lambda: session.emulation.move_by({"z": 1 * inch}))
    assert pages == []
    session.emulation.display.set_display(1)  # from now on, moves are also drawn at their end
    assert session.emulation.display.every == 0


def test_a_fall_is_drawn_like_a_move(session, pages) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.set_cycle(0.02)
        emulation.display.set_every(3)
        emulation.translate("parta", z=5 * inch)
        emulation.support("tray", "parta")  # 5 in: 0.160 937 2 s

    session.run(program)
    assert pages[0].exposures == [(t, ["parta"]) for t in (60_000, 120_000, 160_938)]


def test_a_page_is_written_again_only_when_there_is_something_new_on_it(session, pages, tmp_path) -> None:
    display = session.emulation.display
    display.draw()
    assert display.flush() == tmp_path / "emula-001.svg"
    assert display.flush() is None
    display.draw()
    display.erase()
    display.erase()
    assert pages[0].saved == ["emula-001.svg"] * 2
    assert session.lines == [f"drawing to {tmp_path / 'emula-001.svg'}"]


def test_a_view_by_name_begins_a_new_page(session, pages) -> None:
    display = session.emulation.display
    display.draw()
    display.set_view("TOP")
    display.draw()
    display.set_view("top", 2.5)
    display.draw()
    assert [(page.camera.view, page.camera.zoom) for page in pages] == [("iso", 1), ("top", 1), ("top", 2.5)]
    with pytest.raises(ProgramError, match="a zoom of 0 is not possible"):
        display.set_view("top", 0)
    with pytest.raises(UnknownName, match="there is no view 'below'"):
        display.set_view("below")


def test_a_real_page_comes_out(session, tmp_path) -> None:
    session.emulation.display.draw()
    session.emulation.close()
    assert "<svg" in (tmp_path / "emula-001.svg").read_text()


def test_shaded_pictures_are_files_of_their_own(session, tmp_path) -> None:
    display = session.emulation.display
    display.set_shaded(True)
    display.draw()
    display.set_shaded(False)
    display.draw()
    session.emulation.close()
    assert (tmp_path / "emula-001.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "emula-002.svg").read_text()


def test_a_film_runs_from_its_beginning_to_its_end(session, monkeypatch, tmp_path) -> None:
    taken = []

    def save_film(world, path, *, start, end, camera, size, lines, progress) -> None:
        taken.append((path, start, end, camera.view, lines))

    monkeypatch.setattr("drycell.pictures.save_film", save_film)
    emulation = session.emulation

    def program() -> None:
        emulation.move_by({"z": 4 * inch})
        emulation.display.film(Path("up.mp4"))
        emulation.move_by({"z": 4 * inch})
        emulation.display.film(None)
        with pytest.raises(ProgramError, match="no film is being made"):
            emulation.display.film(None)
        emulation.display.film(Path("more.gif"))
        with pytest.raises(ProgramError, match=r"no time has passed since the film more\.gif began"):
            emulation.display.film(None)
        emulation.display.film(Path("last.gif"), lines=True)
        emulation.move_by({"z": -4 * inch})

    session.run(program)
    emulation.close()
    assert taken == [
        (tmp_path / "up.mp4", 1_000_000, 2_000_000, "iso", False),
        (tmp_path / "last.gif", 2_000_000, 3_000_000, "iso", True),
    ]


def test_settings_that_make_no_sense_are_refused(session) -> None:
    with pytest.raises(ProgramError, match="display 3 does not exist"):
        session.emulation.display.set_display(3)
    with pytest.raises(ProgramError, match="every -1 cycles"):
        session.emulation.display.set_every(-1)
