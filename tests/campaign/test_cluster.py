"""Campaigns on a cluster: two workers in separate processes and folders, over loopback, one of which is killed."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.campaign import Campaign, CampaignError, CampaignProgress, campaign as module
from drycell.campaign.cluster import Address, new_keys, work_on
from drycell.campaign.design import RunPoint
from tests.campaign.in_process import InProcess

PAUSE = "work.args.pause"


def test_without_tls_only_this_machine_is_allowed(tmp_path: Path) -> None:
    assert Address.of("tcp://127.0.0.1:8786").port == 8786
    for text in ("tcp://10.0.0.3:8786", "tcp://0.0.0.0:8786", "tcp://localhost.example.org:8786"):
        with pytest.raises(DrycellError, match="not protected"):
            Address.of(text)
    for text in ("", "8786", "http://127.0.0.1:8786", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tls://:8786"):
        with pytest.raises(DrycellError, match="not the address"):
            Address.of(text)
    with pytest.raises(DrycellError, match="needs certificates"):
        Address.of("tls://head:8786")
    with pytest.raises(DrycellError, match=r"has no ca\.pem"):
        Address.of("tls://head:8786", tmp_path)


def test_new_keys_are_private_and_are_not_overwritten(tmp_path: Path) -> None:
    found = new_keys(tmp_path / "keys")
    assert [each.name for each in found] == ["ca.pem", "cert.pem", "key.pem", "ca-key.pem"]
    assert {path.stat().st_mode & 0o77 for path in found[2:]} == {0}
    verified = subprocess.run(["openssl", "verify", "-CAfile", found[0], found[1]], capture_output=True, check=False)
    assert verified.returncode == 0
    with pytest.raises(DrycellError, match="already has"):
        new_keys(tmp_path / "keys")


def test_a_worker_with_other_software_refuses_the_work(toy: Path) -> None:
    bundle = Campaign(toy).bundle
    answer = work_on(bundle.digest, bundle.packed(), {"drycell": "0.0.1"}, [RunPoint(0).data()])
    assert any(each.startswith("drycell 0.0.1 → ") for each in answer["refused"])


@contextmanager
def started(*words: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process of `drycell worker` in its own folder, once it has said that it is ready."""
    cwd.mkdir()
    paths = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-m", "drycell.cli.main", "worker", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths, "TMPDIR": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def children(process: int) -> list[int]:
    """The processes of workers, which the process of `drycell worker` has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = re.sub(r"\(.*\)", "()", stat.read_text()).split()
            words = stat.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[3]) == process and b"spawn_main" in words:
            found.append(int(stat.parent.name))
    return found


def test_two_workers_over_tls_one_of_them_killed_give_the_same_table(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    campaign = Campaign(toy, seeds=range(150), vary={PAUSE: [1, 2]})
    with monkeypatch.context() as patched:
        patched.setattr(module, "LocalEngine", InProcess)
        reference = campaign.run(tmp_path / "reference").csv()
    new_keys(tmp_path / "keys")
    keys, address = str(tmp_path / "keys"), f"tls://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.enter_context(started("--scheduler", address, "--tls", keys, cwd=tmp_path / "scheduler"))
        workers = [
            stack.enter_context(started(address, "--jobs", "1", "--tls", keys, cwd=tmp_path / name))
            for name in ("one", "two")
        ]
        killed: list[int] = []

        def kill(now: CampaignProgress) -> None:
            if now.made and not killed:
                killed.extend(children(workers[0].pid))
                os.kill(killed[0], signal.SIGKILL)

        found = campaign.run(tmp_path / "out", cluster=address, tls=keys, progress=kill)
        assert killed
        assert found.complete
        assert found.csv() == reference
        # A client without certificates is turned away.
        plain = Address(address.replace("tls", "tcp"))
        monkeypatch.setattr("drycell.campaign.cluster._PATIENCE", 2.0)
        with pytest.raises(CampaignError, match="cannot be reached"):
            module.ClusterEngine(campaign.bundle, plain)
