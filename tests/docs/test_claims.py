"""Lists and pictures in the documentation are complete and agree with drycell itself."""

import re
from collections import Counter
from pathlib import Path

import pytest

from drycell.cell import known_kinds
from drycell.cli.main import COMMANDS
from drycell.geometry import __all__ as geometry_names
from drycell.kernel import POLL_PERIOD
from drycell.robots import MotionController, StandardController, load_robot, robot_heads, robot_names, tool_heads
from drycell.sensors import sensor_names
from drycell.world.collision_monitor import GRID
from drycell.world.gravity import LOST_AFTER

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"


def table_rows(page: Path, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without the header."""
    section = page.read_text().split(f"\n## {heading}\n")[1]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_library_table_lists_every_robot_with_its_axes():
    listed = {}
    for names, _, axes in table_rows(GUIDES / "robots.md", "The library"):
        listed |= dict.fromkeys(re.findall(r"`([^`]+)`", names), int(axes))
    heads = robot_heads()
    arms = {name for name, head in heads.items() if head.maker}
    assert listed == {name: load_robot(name).dof for name in robot_names() if name not in arms}
    text = (GUIDES / "robots.md").read_text()
    paragraph = text.split(" makers: ")[1].split("\n\n")[0].replace("\n", " ")
    makers = dict(re.findall(r"(\w[\w ]*) \((\d+)\)", paragraph))
    counted = Counter(heads[name].maker for name in arms)
    assert {maker: int(count) for maker, count in makers.items()} == counted


def test_the_table_of_tools_lists_every_tool_with_its_kind():
    listed = {}
    for names, _, kinds in table_rows(GUIDES / "grippers.md", "The library"):
        found, wanted = re.findall(r"`([^`]+)`", names), kinds.split(", ")
        listed |= dict(zip(found, wanted * (len(found) // len(wanted)), strict=True))
    assert listed == {name: head.kind for name, head in tool_heads().items()}


def test_the_library_table_lists_every_sensor():
    rows = table_rows(GUIDES / "sensors.md", "The library")
    assert sorted(name for row in rows for name in re.findall(r"`([^`]+)`", row[0])) == sensor_names()


def test_the_controller_table_lists_every_controller():
    rows = table_rows(GUIDES / "robots.md", "Controllers")
    assert {row[0].strip("`") for row in rows} == set(known_kinds().under(MotionController))


def test_the_guide_to_running_names_every_command_and_option(capsys):
    from drycell.cli.main import main

    text = (GUIDES / "running.md").read_text()
    for command in COMMANDS:
        assert f"`drycell {command}" in text
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    for option in set(re.findall(r"--\w+", capsys.readouterr().out)) - {"--help"}:
        assert f"`{option}" in text, option


def test_the_guide_to_running_names_every_kind_of_journal_record():
    text = (GUIDES / "running.md").read_text()
    sources = "".join(path.read_text() for path in (ROOT / "src" / "drycell").rglob("*.py"))
    for kind in set(re.findall(r'(?:journal\.write\(|_late\(\w+\.\w+,)\s*"([^"]+)"', sources)):
        assert f"`{kind}`" in text, kind


def test_the_guides_name_every_verb_and_every_question():
    programs, world = (GUIDES / "programs.md").read_text(), (GUIDES / "world.md").read_text()
    for verb in ("wait", "wait_any", "delay", "now", "spawn", "choose", "interval"):
        assert f"{verb}(" in programs, verb
    for question in ("distance", "closest", "contacts", "interference", "touching", "inside", "containing", "ray"):
        assert f"`{question}(" in world, question
    for shape in ("Box", "Cylinder", "Cone", "Sphere", "Capsule", "Prism", "Mesh"):
        assert shape in geometry_names
        assert f"`{shape}(" in world or f"`{shape}File(" in world, shape


def test_numbers_the_pages_state_are_those_of_the_program():
    def said(page: str, words: str) -> bool:
        return words in " ".join((GUIDES / page).read_text().split())

    standard = StandardController()
    assert said("collision-checks.md", f"instants of a {GRID / 1000:g} ms grid")
    assert said("programs.md", f"charged {POLL_PERIOD * 1000:g} ms of cell time")
    assert said("robots.md", f"every {standard.scan * 1000:g} ms in the standard one")
    assert said("robots.md", f"m/s | {standard.linear_speed * 1000:g} mm/s |")
    assert said("world.md", f"falls for {LOST_AFTER / 1e6:g} s")


PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
PICTURES = sorted(path for path in (ROOT / "docs" / "images").rglob("*") if path.is_file())


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_pictures_are_small(picture):
    assert picture.stat().st_size < 150_000


def test_every_picture_is_shown_on_a_page_or_at_least_the_first_of_its_series():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in PICTURES:
        place = str(picture.relative_to(ROOT / "docs"))
        assert place in text or re.sub(r"-\d{3}\.svg$", "-001.svg", place) in text, place
