"""Every kind of bad input causes an error with what, where, the numbers and what to try, and changes nothing."""

from pathlib import Path

import pytest

from drycell.cli.main import main

TABLE = "bodies:\n  table: {shape: {box: [1 m, 1 m, 40 mm]}}\n"
BLOCK = TABLE + "  block: {shape: {box: [40 mm, 40 mm, 30 mm]}, on: table}\n"
MESH = TABLE + "  block: {shape: {mesh: {file: FILE, units: mm}}, on: table}\n"
ROBOT = (
    "robots:\n  arm: {model: scara}\nsignals: {ready: false}\n"
    "workpoints: {goal: {at: [300 mm, 0, 200 mm]}}\nprograms: {work: {file: work.py}}\n"
)
# A pyramid without one of its four faces.
OPEN = "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"


@pytest.fixture
def answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Write files, run the cell, and return the text on stderr, without the folder's name."""

    def ask(**files: str | bytes) -> str:
        for name, content in files.items():
            file = tmp_path / name.replace("_", ".")
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        before = sorted(tmp_path.iterdir())
        wanted = ["--journal", str(tmp_path / "run.journal"), "--record", str(tmp_path / "run.dry")]
        assert main(["run", str(tmp_path), *wanted]) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        ran = "program 'work'" in printed.err  # the journal up to the error is then kept
        assert sorted(tmp_path.iterdir()) == before or ran
        return printed.err.replace(f"{tmp_path}/", "")

    return ask


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            BLOCK.replace("on: table", "on: tabel"),
            "CellFileError: cell.yaml:3:52: bodies.block.on: there is no body 'tabel'\n"
            "  at cell.yaml, line 3\n"
            "  try: did you mean 'table'?\n",
            id="unknown body",
        ),
        pytest.param(
            "robots:\n  arm: {model: scra}\n",
            "CellFileError: cell.yaml:2:8: robots.arm: there is no robot 'scra'\n"
            "  at cell.yaml, line 2\n"
            "  try: did you mean 'scara' or 'cr7ia' or 'crx5ia'?\n",
            id="unknown robot",
        ),
        pytest.param(
            BLOCK.replace("on: table", "on: table, material: stele"),
            "CellFileError: cell.yaml:3:10: bodies.block: there is no material 'stele'\n"
            "  at cell.yaml, line 3\n"
            "  try: did you mean 'steel'?\n",
            id="unknown material",
        ),
        pytest.param(
            "robots:\n  arm: {model: scara, controller: independant}\n",
            "CellFileError: cell.yaml:2:35: robots.arm.controller: there is no such motion controller\n"
            "  at cell.yaml, line 2\n"
            "  try: did you mean 'independent'?\n",
            id="unknown controller",
        ),
        pytest.param(
            TABLE.replace("bodies", "bodeis"),
            "CellFileError: cell.yaml:1:1: bodeis: there is no such field\n"
            "  at cell.yaml, line 1\n"
            "  try: did you mean 'bodies' or 'devices'?\n",
            id="unknown field",
        ),
        pytest.param(
            BLOCK.replace("[40 mm,", "[40 deg,"),
            "CellFileError: cell.yaml:3:25: bodies.block.shape.box[0]: '40 deg' is not a length\n"
            "  at cell.yaml, line 3\n"
            "  try: write for example '150 mm'\n",
            id="wrong unit",
        ),
        pytest.param(
            BLOCK.replace("[40 mm,", "[40,"),
            "CellFileError: cell.yaml:3:25: bodies.block.shape.box[0]: '40' has no unit, but a length needs one\n"
            "  at cell.yaml, line 3\n"
            "  try: write for example '150 mm'\n",
            id="no unit",
        ),
        pytest.param(
            "bodies:\n  a: {parent: c}\n  b: {parent: a}\n  c: {parent: b}\n",
            "CellFileError: cell.yaml:2:6: bodies.a: 'a' depends on itself: a → c → b → a\n"
            "  at cell.yaml, line 2\n"
            "  try: remove one of these references\n",
            id="cyclic tree",
        ),
        pytest.param(
            "robots:\n  arm: {model: scara, joints: [0, 200 deg, 0, 0]}\n",
            "CellFileError: cell.yaml:2:8: robots.arm: arm/outer is past its limit: "
            "200.0 deg is not between -150.0 and 150.0 deg\n"
            "  at cell.yaml, line 2\n"
            "  try: keep outer within -150.0..150.0 deg\n",
            id="joint past its limit",
        ),
    ],
)
def test_errors_in_cell_files(answer, text: str, said: str) -> None:
    assert answer(cell_yaml=text) == said


def test_an_unknown_unit_lists_the_known_ones(answer) -> None:
    printed = answer(cell_yaml=BLOCK.replace("[40 mm,", "[40 mn,"))
    assert "cell.yaml:3:25: bodies.block.shape.box[0]: unknown unit 'mn' in '40 mn'\n" in printed
    assert "mm" in printed.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("block_stl", "solid x\nfacet normal 0\n", "it has no triangles"),
        ("block_stl", b"\x00" * 200, "it is damaged: 0 triangles need 84 bytes, the file has 200"),
        ("block_obj", "v 0 0\n", "block.obj"),
        ("block_ply", b"\xff\xfe\x00garbage", "block.ply"),
        ("block_glb", b"glTF", "block.glb"),
    ],
)
def test_a_broken_mesh_is_reported_with_file_line_and_field(answer, name: str, content: str | bytes, said: str) -> None:
    printed = answer(cell_yaml=MESH.replace("FILE", name.replace("_", ".")), **{name: content})
    first, where, hint = printed.splitlines()
    assert first.startswith("CellFileError: cell.yaml:3:10: bodies.block: ")
    assert said in first
    assert where == "  at cell.yaml, line 3"
    assert hint.startswith("  try: ")


def test_an_open_solid_in_a_boolean_is_reported_with_its_open_edges(answer) -> None:
    text = (
        "bodies:\n  block:\n    shape: {box: [40 mm, 40 mm, 30 mm]}\n    merge: true\n"
        "    children: {bore: {hole: true, shape: {mesh: {file: bore.obj, units: mm}}}}\n"
    )
    printed = answer(cell_yaml=text, bore_obj=OPEN)
    assert printed == (
        "CellFileError: cell.yaml:5:22: bodies.block.children.bore: bore.obj: the surface is not closed: "
        "it has 3 open edges (not shared by two triangles)\n"
        "  at cell.yaml, line 5\n"
        "  try: close the surface in the CAD system, or export it as a solid and not as faces\n"
    )


@pytest.mark.parametrize(
    ("statement", "what", "hint"),
    [
        ("cell.kernel.signal_named('redy')", "UnknownName: there is no signal 'redy'", "did you mean 'ready'?"),
        ("cell.world.workpoint('gaol')", "UnknownName: there is no workpoint 'gaol'", "did you mean 'goal'?"),
        ("cell.world.body('arm/flnge')", "UnknownName: there is no body 'arm/flnge'", "did you mean 'arm/flange'?"),
        (
            "arm.move([0, 3, 0, 0])",
            "MotionError: arm/outer is past its limit: 171.9 deg is not between -150.0 and 150.0 deg",
            "keep outer within -150.0..150.0 deg",
        ),
    ],
)
def test_errors_in_programs(answer, statement: str, what: str, hint: str) -> None:
    program = f"from drycell import delay\n\ndef work(cell, arm):\n    delay(41.25)\n    {statement}\n"
    assert answer(cell_yaml=ROBOT, work_py=program) == (
        f"{what}\n  at 41.250 s, program 'work' (work.py:5), seed 0\n  try: {hint}\n"
    )


def test_error_for_a_target_out_of_reach_gives_reason_and_distance(answer) -> None:
    program = (
        "from drycell import Pose, deg\n\ndef work(arm):\n    arm.move(Pose.of_rpy(180 * deg, 0, 0, (3.0, 0, 0.1)))\n"
    )
    what, where, hint = answer(cell_yaml=ROBOT, work_py=program).splitlines()
    assert what.startswith("OutOfReach: arm cannot reach '(3000.0, 0.0, 100.0) mm': ")
    assert " mm" in what.split("': ")[1]
    assert where == "  at 0.000 s, program 'work' (work.py:4), seed 0"
    assert hint.startswith("  try: ")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            "    cell.add('t', Body(Box(1, 1, 1), material='stel'))\n",
            "UnknownName: there is no material 'stel'\n  at cell.py:4\n  try: did you mean 'steel'?\n",
        ),
        (
            "    cell.world.attach(cell.world.body('lower'), cell.world.body('upper'))\n",
            "WorldError: cannot attach 'lower' to 'upper': 'upper' is attached to 'lower' (upper → lower → …)\n"
            "  at cell.py:4\n"
            "  try: a tree of bodies has no cycles; detach one of the two first\n",
        ),
    ],
)
def test_errors_in_python_cells(answer, build: str, said: str) -> None:
    stack = "    cell.add('lower', Body(Box(1, 1, 1))); cell.add('upper', Body(Box(1, 1, 1), on='lower'))\n"
    assert answer(cell_py=f"from drycell import Body, Box\ndef build(cell):\n{stack}{build}") == said
