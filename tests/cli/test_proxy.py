"""``drycell proxy``, and devices that a file adds to the table of messages."""

from pathlib import Path

from drycell import Cell
from drycell.effector import StandIn
from drycell.effector.link import DeviceClient, connect
from drycell.effector.messages import load_vocabulary, vocabulary_file


def example(tmp_path: Path) -> Path:
    """The file of the docstring."""
    lines = (vocabulary_file.__doc__ or "").split("::\n", 1)[1].splitlines()
    (tmp_path / "changer.yaml").write_text("\n".join(line[4:] for line in lines))
    return tmp_path / "changer.yaml"


def test_mistakes_in_its_arguments_are_reported(drycell, tmp_path) -> None:
    said = drycell("proxy", "foot=tcp:127.0.0.1:1")
    assert said.code == 1
    assert "there is no device 'foot'" in said.err
    said = drycell("proxy", "gripper=nowhere")
    assert "'nowhere' is not an address of a device" in said.err


def test_a_stand_in_answers_for_a_device_of_your_own(tmp_path, drycell) -> None:
    file = example(tmp_path)
    said = drycell("device", "changer", "--vocabulary", str(file), "--table")
    assert said.code == 0
    assert "PCLCK  lock: locks a tool; queued, answered by CPDON or CPFAI" in said.out
    said = drycell("device", "changer", "--table")
    assert "there is no kind of device 'changer'" in said.err

    class ChangerClient(DeviceClient):
        table = load_vocabulary(file).device("changer")

    cell = Cell("own")
    cell.add("changer", StandIn(table="changer", vocabulary=str(file)))
    found = []

    @cell.program
    def planner() -> None:
        with connect("cell:changer", ChangerClient) as changer:
            changer.begin("LCK", tool=3).wait()
            found.append("locked")

    cell.run()
    assert found == ["locked"]
