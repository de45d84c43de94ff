"""``python -m benchmarks`` prints each figure with its limit; the exit code is 0 if all are within their limits."""

import json
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

import benchmarks
from benchmarks.__main__ import STUDIO, SUBJECTS, Subject, main


class Output(NamedTuple):
    """What the command printed, and its exit code."""

    code: int
    out: str
    err: str


Bench = Callable[..., Output]


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str]) -> Bench:
    def call(*arguments: str) -> Output:
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        return Output(code, *capsys.readouterr())

    return call


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The value of each figure, without measuring: its limit unless a test changes it."""
    given = {name: subject.limit for name, subject in {**SUBJECTS, **STUDIO}.items()}
    monkeypatch.setattr(Subject, "measure", lambda self, name: given[name])
    return given


def test_as_json_it_is_one_flat_object_of_all_figures(bench: Bench, figures: dict[str, float]) -> None:
    output = bench("--json")
    assert output.code == 0
    printed = json.loads(output.out)
    assert printed == {name: figures[name] for name in SUBJECTS}
    assert {
        "kernel_vs_simpy",
        "tickers_vs_simpy",
        "crashcheck_vs_coal",
        "ik_vs_eaik",
        "arm_vs_wall",
    } <= printed.keys()
    assert all(isinstance(value, float) for value in printed.values())


def test_the_limits_are_those_that_are_promised() -> None:
    limits = {name: (subject.sense, subject.limit) for name, subject in SUBJECTS.items()}
    assert limits["kernel_vs_simpy"] == ("at least", 1.0)
    assert limits["tickers_vs_simpy"] == ("at least", 8.0)
    assert limits["crashcheck_vs_coal"] == ("at most", 2.0)
    assert limits["ik_vs_eaik"] == ("at most", 3.0)
    assert limits["arm_vs_wall"] == ("at least", 1000.0)
    assert limits["far_bodies_slowdown"] == ("at most", 1.05)
    assert limits["ray_vs_pybullet"] == ("at least", 1.0)
    assert limits["sensors_vs_wall"] == ("at least", 10.0)
    assert limits["cell_vs_wall"] == ("at least", 500.0)
    assert limits["cell_vs_mujoco"] == ("at least", 10.0)
    assert limits["device_status_ms"] == ("at most", 1.0)
    assert limits["trays_vs_wall"] == ("at least", 300.0)
    assert limits["drop_ms"] == ("at most", 5.0)
    assert limits["drop_64gon_ms"] == ("at most", 25.0)
    assert limits["campaign_overhead_ms"] == ("at most", 20.0)
    assert limits["campaign_efficiency"] == ("at least", 0.9)
    assert limits["looks_tessellate_s"] == ("at most", 0.6)
    assert {name: subject.limit for name, subject in STUDIO.items()} == {
        "studio_first_picture_s": 3.0, "studio_idle_cpu": 8.0, "studio_cpu": 15.0, "studio_drag_p95_ms": 50.0,
        "studio_scrub_p95_ms": 50.0, "studio_open_8h_s": 2.0,
        "studio_fps": 20.0, "studio_paced_fps": 12.0, "studio_refined_s": 6.0,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "figure"), [("kernel_vs_simpy", 0.99), ("ik_vs_eaik", 3.01)])
def test_a_figure_past_its_limit_is_marked_and_ends_with_2(
    bench: Bench, figures: dict[str, float], name: str, figure: float
) -> None:
    figures[name] = figure
    output = bench()
    assert output.code == 2
    marked = [line for line in output.out.splitlines() if "PAST ITS LIMIT" in line]
    assert len(marked) == 1
    assert marked[0].startswith(name)


def test_single_figures_can_be_asked_for(bench: Bench, figures: dict[str, float]) -> None:
    assert list(json.loads(bench("ik_vs_eaik", "--json").out)) == ["ik_vs_eaik"]


def test_those_of_the_studio_are_measured_when_asked_for(bench: Bench, figures: dict[str, float]) -> None:
    assert list(json.loads(bench("studio", "--json").out)) == list(STUDIO)


def test_an_unknown_figure_is_reported_with_the_nearest(bench: Bench) -> None:
    output = bench("ik_vs_eiak")
    assert output.code == 1
    assert "did you mean 'ik_vs_eaik'?" in output.err


def test_every_figure_has_a_function_to_measure_it() -> None:
    from importlib import import_module

    for name, subject in {**SUBJECTS, **STUDIO}.items():
        assert callable(getattr(import_module(f"{benchmarks.__name__}.{subject.module}"), name)), name


def test_a_figure_whose_library_is_missing_is_skipped_and_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "eaik.IK_DH", None)
    output = bench("ik_vs_eaik")
    assert output.code == 0
    assert "skipped: eaik.IK_DH is not installed" in output.out
    output = bench("ik_vs_eaik", "--json")
    assert json.loads(output.out) == {}
    assert "skipped" in output.err
