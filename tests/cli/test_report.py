"""``drycell report`` writes a page of a recording; ``drycell run --report`` writes the same page."""

import pytest

from drycell.recording import Recording


@pytest.fixture
def run(folder, tmp_path, drycell):
    """A recording of the counting cell."""
    path = tmp_path / "run.dry"
    assert drycell("run", folder, "--record", path).code == 0
    return path


def test_a_report_is_written_beside_its_recording_by_default(run, drycell):
    said = drycell("report", run)
    page = run.with_suffix(".html")
    assert (said.code, said.err) == (0, "")
    assert said.out == f"report: {page} ({page.stat().st_size // 1000} kB)\n"
    text = page.read_text()
    assert "<h1>counting</h1>" in text
    assert "data:image/svg+xml;base64," in text
    assert "1 near miss" in text


def test_a_run_writes_the_report_that_its_recording_gives(run, folder, tmp_path, drycell):
    said = drycell("run", folder, "--report", tmp_path / "direct.html")
    assert said.code == 0
    assert f"report        {tmp_path / 'direct.html'}" in said.out
    assert not list(tmp_path.glob("*.dry")) or list(tmp_path.glob("*.dry")) == [run]  # none is left behind
    drycell("report", run, "-o", tmp_path / "later.html")
    assert (tmp_path / "direct.html").read_bytes() == (tmp_path / "later.html").read_bytes()


def test_window_and_signals_are_chosen(run, drycell):
    said = drycell("report", run, "--from", "1.5s", "--to", "2.5s", "--signals", "count", "--title", "Night & day")
    assert said.code == 0
    text = run.with_suffix(".html").read_text()
    assert "1.500 s to 2.500 s: as requested." in text
    assert "<h1>Night &amp; day</h1>" in text


def test_a_custom_picture_replaces_the_drawing(run, tmp_path, drycell):
    (tmp_path / "cell.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert drycell("report", run, "--picture", tmp_path / "cell.png").code == 0
    text = run.with_suffix(".html").read_text()
    assert "data:image/png;base64," in text
    assert "image/svg" not in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--from", "2s", "--to", "1s"), "a timing diagram from 2.000 s to 1.000 s is not within the run"),
        (("--to", "90s"), "a timing diagram from 0.000 s to 1 min 30.0 s is not within the run"),
        (("--from", "2"), "'2' has no unit, but a time needs one"),
        (("--signals", "cuont"), "did you mean 'count'?"),
        (("-o", "page.pdf"), "a report is an HTML page, not 'page.pdf'"),
        (("--picture", "none.png"), "cannot read or write none.png"),
        (("--view", "below"), "below"),
    ],
)
def test_impossible_values_are_refused_with_what_to_try(run, drycell, given, message):
    said = drycell("report", run, *given)
    assert (said.code, said.out) == (1, "")
    assert message in said.err
    assert not run.with_suffix(".html").exists()


def test_a_cell_is_not_a_recording(folder, drycell):
    said = drycell("report", folder)
    assert said.code == 1
    assert f"a report is made from a recording (.dry), not from {folder}" in said.err
    assert f"try: drycell run {folder} --report FILE.html" in said.err


def test_a_run_refuses_another_ending_before_it_runs(folder, drycell):
    said = drycell("run", folder, "--report", "page.docx")
    assert (said.code, said.out) == (1, "")
    assert "a report is an HTML page, not 'page.docx'" in said.err


def test_settings_are_shown(folder, tmp_path, drycell):
    (tmp_path / "cell.yaml").write_text(
        "name: set\nbodies:\n  table: {shape: {box: [1 m, 1 m, 10 mm]}}\nrun: {until: 1 s}\n"
    )
    said = drycell("run", tmp_path / "cell.yaml", "--set", "run.until=2s", "--report", tmp_path / "set.html")
    assert said.code == 0, said.err
    assert "<dt>run.until</dt><dd>2s</dd>" in (tmp_path / "set.html").read_text()


def test_the_drawing_shows_the_first_collision(folder, tmp_path, drycell):
    text = (folder / "cell.py").read_text()
    (folder / "cell.py").write_text(text.replace("103 * mm, 0)", "90 * mm, 0)"))
    path = tmp_path / "collision.dry"
    assert drycell("run", folder, "--record", path, "--report", tmp_path / "collision.html").code == 2
    with Recording.open(path) as run:
        at = run.result.collisions[0].time / 1e6
    assert (
        f"The cell at the first collision, {at:.3f} s; it is marked in red" in (tmp_path / "collision.html").read_text()
    )
