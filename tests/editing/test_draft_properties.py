"""After any edit, a draft loads or the edit was rejected; undo restores the text, character by character."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import DrycellError, Pose
from drycell.cell import Model
from drycell.editing import Draft

ROOT = Path(__file__).parents[2]
CELLS = sorted((ROOT / "examples").rglob("cell.yaml"))

Edit = Callable[[Draft], object]
lengths = st.floats(-2.0, 2.0).map(lambda value: round(value, 4))
angles = st.floats(-3.2, 3.2)
names = st.sampled_from(["a", "box 1", "é", "part/one", "x.y", "on", "12", "new", "", "yes", "a#b", "belt", "table"])
shapes: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"box": st.lists(st.floats(-0.1, 0.5), min_size=2, max_size=3)}),
    st.just({"sphere": {"radius": "10 mm"}}),
    st.just({"cylinder": {"radius": 0.01, "length": "5 cm"}}),
    st.just({"sphere": {}}),
)


def _any(draft: Draft, index: int) -> str:
    known = draft.entries.names()
    return known[index % len(known)] if known else "nothing"


poses = st.builds(lambda a, b, c, r, p, y: Pose.of_rpy(r, p, y, at=(a, b, c)), *[lengths] * 3, *[angles] * 3)
which = st.integers(0, 100)
edits: st.SearchStrategy[Edit] = st.one_of(
    st.builds(lambda k, pose: lambda d: d.move(_any(d, k), pose), which, poses),
    st.builds(lambda k, name: lambda d: d.rename(_any(d, k), name), which, names),
    st.builds(lambda k: lambda d: d.duplicate(_any(d, k), shift=(0.05, 0)), which),
    st.builds(lambda k, all_: lambda d: d.remove(_any(d, k), with_all=all_), which, st.booleans()),
    st.builds(lambda name, shape: lambda d: d.add("bodies", {"shape": shape}, name), names, shapes),
    st.builds(lambda k, name: lambda d: d.add("workpoints", {"on": _any(d, k)}, name), which, names),
    st.builds(
        lambda k, name: lambda d: d.add("sensors", {"model": "e3jk-diffuse", "on": _any(d, k)}, name), which, names
    ),
    st.builds(
        lambda name, value: lambda d: d.add("signals", value, name), names, st.sampled_from([True, 3, 0.5, "hi: #"])
    ),
    st.builds(lambda text: lambda d: d.set(("description",), text), st.text(max_size=30)),
    st.builds(
        lambda k, text: lambda d: d.change(_any(d, k), material=text), which, st.sampled_from(["steel", "", None])
    ),
    st.builds(
        lambda k, m: lambda d: d.append(("checks", "collision", "allowed"), [_any(d, k), _any(d, m)]), which, which
    ),
    st.just(lambda d: d.undo()),
    st.just(lambda d: d.redo()),
)


@pytest.mark.parametrize("windows", [False, True])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(path=st.sampled_from(CELLS), done=st.lists(edits, min_size=1, max_size=8))
def test_edits_load_or_are_refused_and_undo_restores_the_text(windows: bool, path: Path, done: list[Edit]) -> None:
    text = path.read_text()
    original = text.replace("\n", "\r\n") if windows else text
    draft = Draft(original, path)
    for edit in done:
        before = draft.text()
        try:
            edit(draft)
        except DrycellError:
            assert draft.text() == before
    assert Model.read(draft.text(), path) == draft.model
    while draft.undo():
        assert draft.text()
    assert draft.text() == original


@settings(max_examples=25, deadline=None)
@given(path=st.sampled_from(CELLS), done=st.lists(edits, min_size=1, max_size=4))
def test_comments_of_remaining_entries_are_kept(path: Path, done: list[Edit]) -> None:
    text = path.read_text()
    draft = Draft(text, path)
    for edit in done:
        try:
            edit(draft)
        except DrycellError:
            continue
    if not any("remove" in step for step in draft.steps):
        comments = [line[line.index("#") :] for line in text.splitlines() if line.lstrip().startswith("#")]
        kept = draft.text()
        assert [each for each in comments if each not in kept] == []
