"""The proxy passes every message on unchanged, and finds replies of outside processes that contradict each other."""

import asyncio
import socket
import threading
from pathlib import Path

import pytest

from drycell.base import FileError
from drycell.effector.link import DeviceAddress, Proxy, Server
from drycell.effector.messages import VOCABULARY, load_vocabulary, vocabulary_file

LINE = "DRY1 {} {} 0 0 0 0 0 0"


def example(tmp_path: Path) -> Path:
    """The file of the module's own docstring."""
    lines = (vocabulary_file.__doc__ or "").split("::\n", 1)[1].splitlines()
    (tmp_path / "changer.yaml").write_text("\n".join(line[4:] for line in lines))
    return tmp_path / "changer.yaml"


class Bench:
    """Two devices at addresses of their own, a proxy, and a program that writes and reads lines."""

    def __init__(self, answers: dict[str, str], vocabulary=VOCABULARY, extra: dict[str, str] | None = None) -> None:
        self.answers, self.names = answers, {"gripper": "G", "pad": "T", **(extra or {})}
        self.servers = {
            name: Server("tcp:127.0.0.1:0", self.answer, letters=letter, vocabulary=vocabulary)
            for name, letter in self.names.items()
        }
        places = {name: server.address for name, server in self.servers.items()}
        self.proxy = Proxy(DeviceAddress(host="127.0.0.1"), places, vocabulary, once=True)
        self._thread = threading.Thread(target=lambda: asyncio.run(self.proxy.run()))
        self._thread.start()

    def answer(self, connection, message) -> None:
        letters, *reals = self.answers[message.characters].split()
        connection.send(message.answer(letters, tuple(map(float, reals))))

    def talk(self, *lines: str) -> list[str]:
        found = []
        place = (self.proxy.address.host, self.proxy.address.port)
        with socket.create_connection(place, 30) as line, line.makefile("rw") as file:
            for each in lines:
                file.write(each + "\n")
                file.flush()
                found.append(file.readline().rstrip("\n"))
        self._thread.join(30)
        assert not self._thread.is_alive()
        self.proxy.close()
        for server in self.servers.values():
            server.close()
        return found


GRIP = {"PGMOV": "DON 0.024 15 2 0.5 0 0", "PTSTA": "STA 0 0 0 0 0 0", "PGSTA": "STA 0.02 0.02 400 40 999999 0"}


def test_a_planted_conflict_between_two_processes_is_named() -> None:
    bench = Bench(GRIP)
    answers = bench.talk("DRY1 PGMOV 1 3 0 0 0 15 0", LINE.format("PTSTA", 2))
    assert answers == ["DRY1 GPDON 1 0.024 15 2 0.5 0 0", "DRY1 TPSTA 2 0 0 0 0 0 0"]
    (found,) = bench.proxy.checker.found
    assert (found.kind, found.devices) == ("conflicting", ("gripper", "pad"))
    assert "gripper presses on something" in found.text
    assert "pad is touched by nothing" in found.text


def test_devices_that_agree_are_not_a_fault() -> None:
    bench = Bench(GRIP | {"PTSTA": "STA 12 15 0 0 1000 0.0001"})
    bench.talk("DRY1 PGMOV 1 3 0 0 0 15 0", LINE.format("PTSTA", 2))
    assert bench.proxy.checker.found == []
    assert [each.kind for each in bench.proxy.checker.repeated] == ["redundant", "redundant"]


def test_a_reply_that_no_command_waits_for_is_passed_on_and_reported() -> None:
    bench = Bench(GRIP)

    def twice(connection, message) -> None:
        bench.answers["PTSTA"] = "STA 0 0 0 0 0 0"
        connection.send(message.answer("STA"))
        connection.send(message.answer("STA"))

    bench.servers["pad"]._on_message = twice
    place = (bench.proxy.address.host, bench.proxy.address.port)
    with socket.create_connection(place, 30) as line, line.makefile("rw") as file:
        file.write(LINE.format("PTSTA", 7) + "\n")
        file.flush()
        assert [file.readline(), file.readline()] == ["DRY1 TPSTA 7 0 0 0 0 0 0\n"] * 2
    bench._thread.join(30)
    bench.proxy.close()
    for server in bench.servers.values():
        server.close()
    assert [str(each.kind) for each in bench.proxy.checker.found] == ["redundant"]


def test_disallowed_messages_are_refused_by_the_proxy() -> None:
    bench = Bench(GRIP)
    answers = bench.talk("DRY1 PFSTA 1 0 0 0 0 0 0", "hello", "DRY1 PGMOV 2 0 3 0 0 0 0")
    assert [each.split()[2] for each in answers] == ["DEV", "VERS", "LIMIT"]


def test_a_device_of_your_own_is_checked_with_its_own_table(tmp_path) -> None:
    vocabulary = load_vocabulary(example(tmp_path))
    bench = Bench({"PCLCK": "DON 0 0 0 0 0 0"}, vocabulary, {"changer": "C"})
    answers = bench.talk("DRY1 PCLCK 1 3 0 0 0 0 0", "DRY1 PCLCK 2 9 0 0 0 0 0")
    assert answers[0] == "DRY1 CPDON 1 0 0 0 0 0 0"
    assert answers[1].startswith("DRY1 ! LIMIT 2 real 1 of PCLCK: tool is 9")


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("letter: C", "letter: CC", "changer"),
        ("letter: C", "leter: C", "leter"),
        ("replies: [DON, FAI]", "replies: [DUN]", "DUN"),
        ("low: 1", "low: one", "low"),
        ("letters: LCK", "letters: LOCK", "LOCK"),
    ],
)
def test_mistakes_in_a_file_of_devices_are_reported_with_their_place(tmp_path, before, after, what) -> None:
    file = example(tmp_path)
    file.write_text(file.read_text().replace(before, after))
    with pytest.raises(FileError, match=what) as error:
        load_vocabulary(file)
    assert "changer.yaml" in str(error.value)
