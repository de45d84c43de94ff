"""Worker processes: jobs are done once each, whatever happens to the workers."""

import os
import signal
import sys
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.workers import Answer, WorkerPool, cores

WORKER = """\
import os, signal, time
from drycell.base import DrycellError
from drycell.workers import GiveUp, serve

def prepare(setup):
    if setup.get("refuse"):
        raise DrycellError("no such cell")
    if setup.get("crash"):
        raise ValueError("broken")
    seen = []
    def work(job):
        seen.append(job)
        print("programs print")
        if job == "die":
            print("last words", file=__import__("sys").stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(job, list) and not os.path.exists(job[0]):
            open(job[0], "w").close()
            raise GiveUp
        return {"job": job, "nth": len(seen), "pid": os.getpid(), "threads": os.environ["OMP_NUM_THREADS"]}
    return work

serve(prepare)
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_worker.py").write_text(WORKER)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))


def test_every_job_is_done_once_by_workers_that_stay_warm() -> None:
    with WorkerPool("a_worker", {}, 2) as pool:
        found = [each for answers in pool.answers(iter(range(12))) for each in answers]
        assert sorted(each.job for each in found) == list(range(12))
        assert all(each.value["job"] == each.job for each in found)
        assert len({each.value["pid"] for each in found}) <= 2
        assert max(each.value["nth"] for each in found) >= 6
        assert {each.value["threads"] for each in found} == {"1"}
        assert pool.busy == 0


def test_a_job_that_kills_its_worker_is_given_up_after_three_deaths_and_the_others_are_done() -> None:
    with WorkerPool("a_worker", {}, 1) as pool:
        found = {each.job: each for answers in pool.answers(iter(["a", "die", "b"])) for each in answers}
    assert found["die"].value is None
    assert "SIGKILL" in found["die"].deaths
    assert "last words" in found["die"].deaths
    assert found["a"].value["job"] == "a"
    assert found["b"].value["job"] == "b"


def test_a_job_that_a_worker_gives_up_is_done_by_another(tmp_path: Path) -> None:
    with WorkerPool("a_worker", {}, 1) as pool:
        ((answer,),) = pool.answers(iter([[str(tmp_path / "once")]]))
    assert isinstance(answer, Answer)
    assert answer.value["nth"] == 1


def test_an_idle_worker_that_was_killed_is_replaced() -> None:
    with WorkerPool("a_worker", {}, 1) as pool:
        ((first,),) = pool.answers(iter([1]))
        os.kill(first.worker, signal.SIGKILL)
        ((second,),) = pool.answers(iter([2]))
    assert first.worker != second.worker


def test_workers_that_cannot_work_say_why() -> None:
    with WorkerPool("a_worker", {"refuse": True}, 1) as pool, pytest.raises(DrycellError, match="no such cell"):
        list(pool.answers(iter([1])))
    with WorkerPool("a_worker", {"crash": True}, 1) as pool, pytest.raises(DrycellError, match="ValueError: broken"):
        list(pool.answers(iter([1])))


def test_nothing_is_left_running() -> None:
    with WorkerPool("a_worker", {}, 2) as pool:
        list(pool.answers(iter([1, 2])))
        processes = pool.processes
    for each in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


def test_the_number_of_cores_is_that_of_this_process() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
