"""The client library: it matches the table, and the same program works with a cell and with a process."""

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from drycell import effector as devices
from drycell.base import FieldError, KernelError, NotInProgram, mm
from drycell.effector.link import (
    CommandFailed,
    Done,
    GripperClient,
    GripperStatus,
    LinkLost,
    LinkTimeout,
    PadClient,
    WristClient,
    connect,
)
from drycell.effector.link.channel import ADVICE
from drycell.effector.link.client import DebugSwitches, DeviceClient, Gains, Load, PadStatus
from drycell.effector.messages import (
    VOCABULARY,
    Code,
    LinkDisturbance,
    LinkTrouble,
    MailboxPair,
    Message,
    MessageRefused,
)
from drycell.effector.messages.vocabulary import REASONS
from drycell.kernel import Kernel, delay

DONE = (0.01, 2.0, 3.0, 0.5, 0.0, 0.0)


def functions(kind: type[DeviceClient]) -> dict[str, list[Callable[..., object]]]:
    """The functions of a client by the letters of the command they give."""
    found: dict[str, list[Callable[..., object]]] = {}
    for _, function in inspect.getmembers(kind, inspect.isfunction):
        if hasattr(function, "sends"):
            found.setdefault(function.sends, []).append(function)
    return found


@pytest.mark.parametrize("kind", [GripperClient, WristClient, PadClient])
def test_every_command_of_the_table_has_its_function_and_no_function_speaks_another(kind):
    assert set(functions(kind)) == {command.letters for command in kind.table.commands}


@pytest.mark.parametrize("kind", [GripperClient, WristClient, PadClient])
def test_arguments_of_client_functions_have_the_names_of_the_table(kind):
    for letters, senders in functions(kind).items():
        names = {real.name for real in kind.table.command(letters).reals}
        for function in senders:
            taken = set(inspect.signature(function).parameters) - {
                "self",
                "timeout",
                "opening",
                "until_beam",
                "until_near",
            }
            assert taken <= names, function.__qualname__
            assert function.__doc__


def test_every_device_of_the_table_has_its_client():
    tables = [kind.table for kind in (GripperClient, WristClient, PadClient)]
    assert tables == [device for device in VOCABULARY.devices if not device.controls]


# -- in a cell


def cell_device(kernel: Kernel, name: str = "hand", letters: str = "G", **options) -> MailboxPair:
    """A stand-in in cell time: moves take 1 s each, one after the other; everything else is answered at once."""
    pair = MailboxPair(kernel, name, letters, **options)
    free = [0]

    def serve() -> None:
        while (envelope := pair.take()) is not None:
            command = envelope.message.command
            if command in ("INI", "MOV"):
                free[0] = max(free[0], kernel.now) + 1_000_000
                fails = envelope.message.reals[5] == 9
                reply = ("FAI", (4.0, 0.01, 0.0, 1.0, 0.0, 0.0)) if fails else ("DON", DONE)
                kernel.at(free[0], lambda e=envelope, r=reply: e.reply(*r), writes=pair.replies)
            elif command in ("STA", "ROW"):
                reals = (0.02, 0.03, 400.0, 40.0, 123_999.0, 1.0) if letters == "G" else (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
                envelope.reply(command, reals)
            else:
                envelope.reply(command, tuple(max(real, 0.0) for real in envelope.message.reals))

    pair.subscribe(serve)
    return pair


def in_cell(program: Callable[[], object], **options) -> object:
    kernel = Kernel()
    pair = cell_device(kernel, **options)
    got = []
    kernel.spawn(lambda: got.append(program()))
    outcome = kernel.run()
    assert outcome.ending == "finished", outcome
    assert pair.kernel is kernel
    return got[0]


def control(gripper: GripperClient) -> list[object]:
    """A controlling program that does not know where its device runs."""
    results: list[object] = [gripper.initialise()]
    tickets = [gripper.move_to(20 * mm, force=10), gripper.move_at(-10 * mm, time=1), gripper.squeeze(5)]
    results.append(gripper.status())
    results += [ticket.wait().gap for ticket in tickets]
    results.append(gripper.set_gains(100, 20))
    results.append(gripper.debug(messages=True))
    results.append(gripper.ratchet_to(5 * mm).wait(30).ended_by)
    results.append(gripper.abort())
    results.append(gripper.quit())
    return results


def test_the_same_program_drives_a_device_in_a_cell():
    results = in_cell(lambda: control(connect("cell:hand")))
    assert results[0] == Done(0.01, 2.0, 3, 0.5, 0)
    assert results[1] == GripperStatus(0.02, 0.03, 400.0, 40.0, 0.0123, None, True)
    assert results[2:] == [0.01] * 3 + [Gains(100, 20), DebugSwitches(False, True, False, False), 3, 0, 0]


def test_the_same_program_drives_a_device_behind_a_socket(serve, stand_in, address):
    results = control(connect(str(serve(address).address)))
    assert results[1] == GripperStatus(0.02, 0.03, 400.0, 40.0, 0.0123, None, True)
    assert results[5:] == [Gains(100, 20), DebugSwitches(False, True, False, False), 1, 2, 0]
    assert [message.characters for message in stand_in.seen] == [
        *("PGINI", "PGMOV", "PGMOV", "PGMOV", "PGSTA", "PGGAI", "PGDBG", "PGMOV", "PGABT", "PGQUI")
    ]
    assert stand_in.seen[1].reals == (0, 0.02, 0, 3, 10, 0)
    assert stand_in.seen[2].reals == (1, 0, -0.01, 16, 0, 1)
    assert stand_in.seen[3].reals == (3, 0, 0, 3, 5, 0)


def test_the_direction_of_a_ratchet_is_the_sign_of_its_speed(serve, stand_in):
    with connect(str(serve().address)) as gripper:
        gripper.ratchet_to(5 * mm)
        gripper.ratchet_to(5 * mm, speed=10 * mm)
        gripper.ratchet_to(50 * mm, opening=True)
        gripper.ratchet_to(50 * mm, opening=True, speed=10 * mm)
        gripper.ratchet_to(5 * mm, speed=-10 * mm).wait()  # only the opening determines the direction
    assert [message.reals[2] for message in stand_in.seen] == [0, -0.01, 1, 0.01, -0.01]


def test_nothing_is_not_taken_for_all_that_the_device_can_do(serve, stand_in):
    with connect(str(serve().address)) as gripper:
        with pytest.raises(FieldError, match="a rate of 0 m/s does not move"):
            gripper.move_at(0)
        with pytest.raises(FieldError, match="a force above 0 N"):
            gripper.squeeze(0)
    assert stand_in.seen == []


def test_status_is_answered_while_moves_are_queued():
    def program() -> list[bool]:
        gripper = connect("cell")
        tickets = [gripper.move_to(gap * mm) for gap in (10, 20, 30)]
        seen = []
        for _ in range(3):
            gripper.status()
            seen.append([ticket.over for ticket in tickets])
            delay(1.1)
        assert [ticket.poll() for ticket in tickets] == [True] * 3
        return seen

    assert in_cell(program) == [[False] * 3, [True, False, False], [True, True, False]]


def test_a_sensor_is_asked_the_same_way():
    assert in_cell(lambda: connect("cell", WristClient).status(), letters="F") == Load((1, 2, 3), (4, 5, 6))
    assert in_cell(lambda: connect("cell", PadClient).row(2), letters="T") == (1, 2, 3, 4, 5, 6)
    assert in_cell(lambda: connect("cell", PadClient).status(), letters="T") == PadStatus(1, 2, (3, 4), 5, 6)
    assert in_cell(lambda: connect("cell", WristClient).tare(), letters="F") is None


# -- what goes wrong


def test_a_command_that_failed_raises_with_the_reason_and_what_to_try():
    def program() -> None:
        with pytest.raises(CommandFailed, match=r"move \(PGMOV 1\) failed: blocked") as error:
            connect("cell").begin("MOV", time=9).wait()
        assert error.value.reason == "blocked"
        assert "between the jaws" in str(error.value)

    in_cell(program)


def test_every_reason_of_the_table_is_given_by_a_device_and_has_its_advice():
    sources = [path.read_text(encoding="utf-8") for path in Path(devices.__file__).parent.glob("*.py")]
    for reason in REASONS.values():
        assert any(f'("{reason}")' in source or f'= "{reason}"' in source for source in sources), reason
    assert set(ADVICE) == set(REASONS.values())


def test_no_reply_in_time_raises_and_the_ticket_can_be_waited_for_again():
    def program() -> None:
        ticket = connect("cell").move_to(10 * mm)
        with pytest.raises(LinkTimeout, match=r"no reply to move \(PGMOV 1\) within 0.25 s"):
            ticket.wait(0.25)
        assert ticket.wait(1.0).gap == 0.01

    in_cell(program)


def test_a_reply_that_nobody_waits_for_any_more_belongs_to_nobody():
    def program() -> tuple[int, int]:
        gripper = connect("cell")
        for _ in range(3):
            with pytest.raises(LinkTimeout, match="status"):
                gripper.status()
        delay(60)
        gripper.calls.receive_all()
        return gripper.calls.waiting, gripper.calls.strays

    # All replies are more than 6 s late, and the program waits for 5 s.
    late = next(
        found
        for found in (LinkTrouble(late=1.0, latest=12.0).bound(seed) for seed in range(100_000))
        if all(min(found.arrivals("reply", number)) > 6 for number in range(3))
    )
    assert in_cell(program, disturbance=late) == (0, 3)


def test_no_reply_in_time_raises_in_real_time(serve, stand_in):
    stand_in.hold = True
    with connect(str(serve().address)) as gripper:
        ticket = gripper.move_to(10 * mm)
        with pytest.raises(LinkTimeout, match=r"within 0.02 s"):
            ticket.wait(0.02)
        stand_in.finish()
        assert ticket.wait().gap == 0.01


def test_disallowed_messages_are_refused_before_they_are_sent(serve, stand_in):
    with connect(str(serve().address)) as gripper:
        with pytest.raises(
            MessageRefused, match=r"gap is 2 m, not between 0 and 1 m(.|\n)*try: .* units are SI: 20 mm are 0.02"
        ):
            gripper.move_to(2.0)
        with pytest.raises(MessageRefused, match="force is -1 N"):
            gripper.squeeze(-1.0)
        gripper.status()
    assert [message.command for message in stand_in.seen] == ["STA"]


def test_a_refusal_of_the_device_reaches_the_ticket_it_belongs_to(serve):
    server = serve(letters="F")
    with connect(str(server.address)) as gripper, connect(str(server.address), WristClient) as wrist:
        ticket = gripper.move_to(10 * mm)
        with pytest.raises(MessageRefused, match="G does not answer here, only F") as error:
            ticket.wait()
        assert error.value.refusal.code is Code.DEVICE
        wrist.tare()


def test_a_full_queue_is_refused_in_a_cell():
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand", capacity=2)
    caught = []

    def program() -> None:
        gripper = connect("cell")
        tickets = [gripper.move_to(10 * mm) for _ in range(3)]
        try:
            tickets[2].wait()
        except MessageRefused as error:
            caught.append(error.refusal.code)

    kernel.spawn(program)
    kernel.run()
    assert caught == [Code.FULL]
    assert len(pair.commands) == 2


@pytest.mark.parametrize("address", ["tcp:localhost:1", "unix:/nowhere/at/all"])
def test_a_missing_device_is_reported_with_how_to_start_it(address):
    with pytest.raises(LinkLost, match="drycell device gripper"):
        connect(address)


def test_things_that_are_not_devices_are_reported_separately(tmp_path):
    import socket
    import threading

    with socket.create_server(("localhost", 0)) as other:

        def answer() -> None:
            line, _ = other.accept()
            line.sendall(b"220 smtp.example.org ESMTP\r\n")
            line.recv(4096)
            line.close()

        thread = threading.Thread(target=answer)
        thread.start()
        gripper = connect(f"tcp:localhost:{other.getsockname()[1]}")
        with pytest.raises(LinkLost, match="check that a device listens there"):
            gripper.status()
        thread.join()


def test_a_lost_connection_is_reported_to_every_open_ticket_and_reconnecting_begins_anew(serve, stand_in, tmp_path):
    stand_in.hold = True
    server = serve()
    gripper = connect(str(server.address))
    tickets = [gripper.move_to(10 * mm) for _ in range(3)]
    server.close()
    for ticket in tickets:
        with pytest.raises(LinkLost, match=r"connection is lost"):
            ticket.wait()
    with pytest.raises(LinkLost, match="reconnect"):
        gripper.status()
    with pytest.raises(LinkLost, match="is the device running"):
        gripper.reconnect(timeout=0.05)
    serve()
    gripper.reconnect()
    assert gripper.status().gap == 0.02
    gripper.close()


def test_a_closed_client_reports_it(serve):
    gripper = connect(str(serve().address))
    gripper.close()
    with pytest.raises(LinkLost, match="it was closed"):
        gripper.status()


def test_a_closed_client_reports_it_in_a_cell_as_well():
    def program() -> None:
        gripper = connect("cell")
        gripper.quit()
        with pytest.raises(LinkLost, match="it was closed"):
            gripper.status()
        gripper.reconnect()
        assert gripper.status().gap == 0.02

    in_cell(program)


def test_a_missing_device_is_reported_with_the_command_that_starts_it(tmp_path):
    with pytest.raises(LinkLost, match=f"`drycell device gripper --socket {tmp_path}/none` starts one"):
        connect(f"unix:{tmp_path}/none")


def test_a_cell_is_only_reached_from_its_own_programs():
    with pytest.raises(NotInProgram, match="connect"):
        connect("cell:hand")

    def program() -> None:
        with pytest.raises(KernelError, match="has 2 devices with mailboxes: hand, other"):
            connect("cell")

    kernel = Kernel()
    pairs = [cell_device(kernel, "hand"), cell_device(kernel, "other")]
    kernel.spawn(program)
    assert kernel.run().ending == "finished"
    assert len(pairs) == 2


# -- numbers


def two_moves(numbered: bool, disturbance: LinkDisturbance) -> tuple[float, float]:
    """What a program concludes about two moves if the reply to the first is lost."""
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand", disturbance=disturbance)

    def serve() -> None:
        while (envelope := pair.take()) is not None:
            envelope.reply("DON", (envelope.message.reals[1], 0.0, 1.0, 0.1, 0.0, 0.0))

    pair.subscribe(serve)
    believed = []

    def program() -> None:
        gripper = connect("cell", numbered=numbered)
        for ticket in (gripper.move_to(10 * mm), gripper.move_to(20 * mm)):
            try:
                believed.append(round(ticket.wait(1.0).gap / mm))
            except LinkTimeout:
                believed.append(None)

    kernel.spawn(program)
    assert kernel.run().ending == "finished"
    return tuple(believed)


def test_without_numbers_the_reply_after_a_lost_one_is_mistaken_for_it_and_with_numbers_it_is_not():
    seeds = range(1000)
    rough = next(
        found
        for found in (LinkTrouble(lost=0.3).bound(seed) for seed in seeds)
        if [len(found.arrivals("command", n)) for n in (0, 1)] == [1, 1]
        and [len(found.arrivals("reply", n)) for n in (0, 1)] == [0, 1]
    )
    assert two_moves(False, rough) == (20, None)
    assert two_moves(True, rough) == (None, 20)


def test_a_doubled_reply_matches_no_command(serve, stand_in):
    def twice(peer, message: Message) -> None:
        for _ in range(2):
            peer.send(message.answer("DON", DONE))

    stand_in.on_message = twice
    with connect(str(serve().address)) as gripper:
        for _ in range(10):
            assert gripper.move_to(10 * mm).wait().gap == 0.01
        gripper.move_to(10 * mm).wait()
        assert gripper.calls.strays == 10
        assert gripper.calls.waiting == 0
