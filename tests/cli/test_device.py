"""``drycell device``: its table, invalid options, faults, traffic records and debugging output."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drycell.effector.link import (
    CommandFailed,
    LinkTimeout,
    PadClient,
    WristClient,
    connect,
    read_traffic,
    start_device,
)
from drycell.effector.messages import GRIPPER, MEANING, LinkTrouble

EXAMPLE = Path(__file__).parents[2] / "examples" / "60_end_effector"


def test_the_table_reports_every_command_reply_real_and_refusal(drycell) -> None:
    said = drycell("device", "gripper", "--table")
    assert said.code == 0
    for command in GRIPPER.commands:
        assert f"  PG{command.letters}  {command.name}: " in said.out
    for reply in GRIPPER.replies:
        assert f"  GP{reply.letters}  {reply.name}: " in said.out
        for place, real in enumerate(reply.reals, 1):
            assert f" {place} {real.name}: " in said.out
    for code in MEANING:
        assert f"  {code}" in said.out
    assert max(map(len, said.out.splitlines())) <= 118


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["--faults", "lots=0.1"], "there is no fault 'lots'"),
        (["--faults", "lost=often"], "'lost=often' is not a fault with a number"),
        (["--faults", "lost=2"], "--faults lost: 2 must be at most 1"),
        (["--speed", "0"], "cannot run at 0 × real time: 0 is not between 0.01 and 1000"),
        (["--cell", str(EXAMPLE), "--name", "foot"], "there is no gripper 'foot'"),
        (["--cell", str(EXAMPLE), "--without", "plan"], "there is no program 'plan'"),
        (["--cell", str(EXAMPLE.parent / "00_first_cell")], "has 0 devices of this kind: none"),
        (["--port", "99999"], "port 99999 is not between 0 and 65535"),
        (["--port", "0", "--diagram", "timing.pdf"], "plots are SVG or PNG files, not 'timing.pdf'"),
        (["--port", "0", "--host", "192.0.2.1", "--token", "0123456789abcdef"], "give an address of this computer"),
        (["--host", "0.0.0.0", "--socket", "x"], "--host 0.0.0.0 with --socket"),
        (["--subdivisions", "30", "--port", "0"], "--subdivisions 30 needs a picture"),
        (["--socket", "/nowhere/at/all"], "cannot listen on unix:/nowhere/at/all"),
        (["--host", "0.0.0.0", "--port", "0", "--token", "short"], "a token of 5 characters"),
        (["--picture", "--no-browser", "--subdivisions", "-1", "--port", "0"], "-1 is not between 0 and 1000"),
    ],
)
def test_mistakes_in_options_are_reported(drycell, options: list[str], printed: str) -> None:
    said = drycell("device", "gripper", *options)
    assert said.code == 1
    assert printed in said.err
    assert "try: " in said.err


def test_a_port_and_a_socket_exclude_each_other(drycell) -> None:
    assert "not allowed with" in drycell("device", "gripper", "--port", "0", "--socket", "x").err


def test_commands_fail_by_chance_as_the_seed_has_it() -> None:
    printed = []
    with start_device(seed=7, faults="failing=0.4") as device, connect(device.address) as gripper:
        for _ in range(20):
            try:
                gripper.initialise()
            except CommandFailed as failed:
                printed.append(failed.reason)
            else:
                printed.append("done")
    chance = LinkTrouble(failing=0.4).bound(seed=7, device="gripper")
    assert printed == ["random failure" if chance.fails(number) else "done" for number in range(20)]
    assert len(set(printed)) == 2


def test_lost_replies_are_noticed_and_written_down(tmp_path: Path) -> None:
    record = tmp_path / "traffic.jsonl"
    with start_device(faults="lost=1", record=record) as device, connect(device.address) as gripper:
        with pytest.raises(LinkTimeout, match="no reply to status"):
            gripper.begin("STA").wait(0.2)
        assert device.alive
    assert [each.event for each in read_traffic(record)] == ["sent", "lost"]


def test_the_process_logs_what_is_switched_on_and_draws_its_traffic(tmp_path: Path) -> None:
    diagram = tmp_path / "timing.svg"
    program = f"""
from drycell.effector.link import connect, start_device
with start_device(speed=20, options=["--diagram", {str(diagram)!r}]) as device, connect(device.address) as gripper:
    gripper.debug(control=True)
    gripper.initialise()
    gripper.debug(control=False, messages=True)
    gripper.status()
    gripper.debug(messages=False)
    gripper.status()
    gripper.quit()
    device.process.wait(60)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    log = [json.loads(line) for line in done.stderr.splitlines()]
    assert {line["device"] for line in log} == {"gripper"}
    kinds = [line["kind"] for line in log]
    assert kinds == sorted(kinds)  # first its actions, then its messages: never both
    assert {"control", "messages"} == set(kinds)
    assert "<svg" in diagram.read_text()


@pytest.mark.parametrize(("kind", "client"), [("wrist", WristClient), ("tactile", PadClient)])
def test_other_devices_run_beside_a_gripper_and_end_the_process(kind: str, client: type) -> None:
    with start_device(kind) as device, connect(device.address, client) as sensor, connect(device.address) as gripper:
        gripper.initialise()
        gripper.squeeze(10).wait()
        assert sensor.status() is not None
        sensor.quit()
        assert device.process.wait(60) == 0
