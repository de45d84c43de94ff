"""A server: what it tolerates, what it disconnects, and that nothing is left behind."""

import socket
import threading
import time
from pathlib import Path

import pytest

from drycell.base import FieldError
from drycell.effector.link import LinkError, LinkLost, connect, parse_address
from drycell.effector.link.server import Server, ServerLimits
from drycell.effector.messages import Code, Message

STATUS = b"DRY1 PGSTA 5 0 0 0 0 0 0\n"
TOKEN = "0123456789abcdef"


def raw(server: Server) -> socket.socket:
    address = server.address
    if address.path:
        line = socket.socket(socket.AF_UNIX)
        line.connect(address.path)
    else:
        line = socket.create_connection((address.host, address.port))
    line.settimeout(60.0)
    return line


def read_to_end(line: socket.socket) -> bytes:
    data = b""
    while chunk := line.recv(65536):
        data += chunk
    line.close()
    return data


def until(condition) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)


def narrow(server: Server, limits: ServerLimits) -> None:
    """Limit the only connection from now on: before, a busy machine may keep the test itself from sending in time."""
    (connection,) = server.connections
    connection._limits = limits


def test_a_line_typed_by_hand_is_answered(serve, address):
    with raw(serve(address)) as line:
        line.sendall(STATUS)
        assert line.recv(4096) == b"DRY1 GPSTA 5 0.02 0.03 400 40 123999 1\n"


def test_a_client_that_sends_everything_first_gets_every_reply(serve, stand_in, address):
    server = serve(address)
    stand_in.hold = True
    line = raw(server)
    line.sendall(b"DRY1 PGINI 1 0 0 0 0 0 0\n" + STATUS)
    line.shutdown(socket.SHUT_WR)
    until(lambda: stand_in.held)
    stand_in.finish()
    # A queued command and one that is answered at once: nothing is promised about the order of their replies.
    assert sorted(read_to_end(line).splitlines()) == [
        b"DRY1 GPDON 1 0 0 1 0.5 0 0",
        b"DRY1 GPSTA 5 0.02 0.03 400 40 123999 1",
    ]
    until(lambda: stand_in.gone)


@pytest.mark.parametrize("half", [b"DRY1 PGS", b"\xdcDRY\x01", b"x" * 1000])
def test_half_a_message_is_tolerated_for_a_time_and_then_cut_off(serve, half):
    server = serve(limits=ServerLimits(half=0.1))
    line = raw(server)
    line.sendall(half)
    assert b"IDLE" in read_to_end(line)
    assert server.tally.refused[Code.IDLE] == 1


def test_half_a_message_does_not_survive_by_an_occasional_byte(serve):
    line = raw(serve(limits=ServerLimits(half=0.15)))

    def drip() -> None:
        for _ in range(2000):
            line.sendall(b"D")
            time.sleep(0.005)

    with pytest.raises(OSError, match=r"[Pp]ipe|reset"):
        drip()
    line.close()


def test_a_silent_connection_is_closed_and_its_owner_is_notified(serve):
    server = serve(limits=ServerLimits(idle=0.1))
    gripper = connect(str(server.address))
    until(lambda: not server.connections and server.tally.refused[Code.IDLE])
    with pytest.raises(LinkLost, match=r"before that it said IDLE: nothing was received for 0\.1 s"):
        gripper.status()
    server.limits = ServerLimits()  # a busy machine can be silent for 0.1 s before it asks
    gripper.reconnect()
    assert gripper.status().gap == 0.02
    gripper.close()


def test_a_connection_that_waits_for_its_reply_is_not_silent(serve, stand_in):
    server = serve()
    stand_in.hold = True
    with connect(str(server.address)) as gripper:
        ticket = gripper.move_to(0.01)
        until(lambda: stand_in.held)
        narrow(server, ServerLimits(idle=0.1))
        started = time.monotonic()
        until(lambda: time.monotonic() - started > 0.4)
        stand_in.finish()
        assert ticket.wait().gap == 0.01


def test_a_connection_beyond_the_limit_is_refused_with_a_reason(serve):
    server = serve(limits=ServerLimits(connections=2))
    with connect(str(server.address)) as first, connect(str(server.address)) as second:
        first.status()
        second.status()
        third = connect(str(server.address))
        with pytest.raises(LinkLost, match="CROWD: 2 of 2 connections are taken"):
            third.status()
        first.status()


def test_connections_that_never_said_anything_give_way(serve):
    server = serve(limits=ServerLimits(connections=2))
    silent = [raw(server) for _ in range(2)]
    until(lambda: len(server.connections) == 2)
    with connect(str(server.address)) as gripper:
        gripper.status()
    assert b"CROWD" in read_to_end(silent[0])
    silent[1].close()


def test_a_client_that_does_not_read_its_replies_is_disconnected_and_costs_bounded_memory(serve):
    limits = ServerLimits(half=0.2, rate=1e6, unsent=4096, most_unsent=100_000)
    server = serve(limits=limits)
    line = raw(server)
    line.settimeout(0.5)
    held = [0]

    def pour() -> None:
        for _ in range(100_000):
            line.sendall(STATUS * 50)
            held.extend(each.unsent + len(each.received) for each in server.connections)

    with pytest.raises(OSError, match=r"timed out|Broken pipe|reset"):
        pour()
    until(lambda: not server.connections)
    assert max(held) < limits.most_unsent
    line.close()


def test_a_flood_is_throttled_and_starves_nobody(serve):
    server = serve(limits=ServerLimits(rate=2000.0, burst=100))
    stop = threading.Event()

    def flood() -> None:
        line = raw(server)
        line.settimeout(0.2)
        drain = threading.Thread(target=lambda: read_quietly(line))
        drain.start()
        while not stop.is_set():
            try:
                line.sendall(b"rubbish\n" * 100)
            except TimeoutError:
                continue
        line.shutdown(socket.SHUT_RDWR)
        drain.join()
        line.close()

    flooders = [threading.Thread(target=flood) for _ in range(3)]
    started = time.monotonic()
    for flooder in flooders:
        flooder.start()
    with connect(str(server.address)) as gripper:
        served = 0
        while served < 100 or server.tally.refusals < 1000:  # both end: neither waits for the other indefinitely
            gripper.status()
            served += 1
    refusals, took = server.tally.refusals, time.monotonic() - started
    stop.set()
    for flooder in flooders:
        flooder.join()
    assert refusals <= 3 * (2000 * took + 200)


def read_quietly(line: socket.socket) -> None:
    while True:
        try:
            if not line.recv(65536):
                return
        except TimeoutError:
            continue
        except OSError:
            return


def test_a_throttled_client_is_not_disconnected_for_silence(serve, stand_in):
    server = serve(limits=ServerLimits(rate=50.0, burst=1))
    with raw(server) as line:
        line.sendall(STATUS * 20 + STATUS[:5])
        until(lambda: stand_in.seen)
        narrow(server, ServerLimits(rate=50.0, burst=1, half=0.1, idle=0.1))
        until(lambda: len(stand_in.seen) == 20)
    assert server.tally.refused[Code.IDLE] == 0


def test_a_browser_that_posts_commands_is_cut_before_they_are_read(serve, stand_in):
    line = raw(serve("tcp:localhost:0"))
    line.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nDRY1 PGMOV 1 0 0 0 0 0 0\r\n")
    assert read_to_end(line).startswith(b"DRY1 ! VERS - ")
    assert stand_in.seen == []


# -- other hosts


def test_listening_beyond_this_host_needs_a_token():
    with pytest.raises(FieldError, match="can be reached from other hosts"):
        Server("tcp:0.0.0.0:0", lambda connection, message: None)
    with pytest.raises(FieldError, match="a token of 5 characters"):
        Server("tcp:localhost:0", lambda connection, message: None, token="short")


def test_with_the_token_one_is_served(serve):
    server = serve("tcp:0.0.0.0:0", token=TOKEN)
    with connect(f"tcp:localhost:{server.address.port}", token=TOKEN) as gripper:
        assert gripper.status().gap == 0.02


@pytest.mark.parametrize("token", ["", "0123456789abcdeX", "0123456789abcde"])
def test_without_the_token_nothing_is_served(serve, stand_in, token):
    server = serve("tcp:localhost:0", token=TOKEN)
    gripper = connect(str(server.address), token=token)
    with pytest.raises(LinkLost, match=r"TOKEN: .*\n.*\n  try: pass the token"):
        gripper.move_to(0.01).wait()
    assert stand_in.seen == []


def test_a_token_that_does_not_come_is_not_waited_for_long(serve):
    assert b"TOKEN" in read_to_end(raw(serve("tcp:localhost:0", token=TOKEN, limits=ServerLimits(half=0.1))))


# -- places


def test_nothing_stays_where_a_server_was(tmp_path: Path):
    before = threading.active_count()
    for _ in range(3):
        with Server(f"unix:{tmp_path}/device.sock", lambda connection, message: None):
            assert (tmp_path / "device.sock").stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == []
    assert threading.active_count() == before


def test_two_devices_do_not_share_a_place(serve, address):
    server = serve(address)
    with pytest.raises(LinkError, match=r"device listens at|address already in use"):
        Server(server.address, lambda connection, message: None)
    with connect(str(server.address)) as gripper:
        gripper.status()


def test_the_socket_of_a_killed_device_is_taken_over(serve, tmp_path):
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "device.sock"))
    dead.close()
    with connect(str(serve().address)) as gripper:
        gripper.status()


def test_a_file_that_is_not_a_socket_is_left_alone(tmp_path):
    (tmp_path / "device.sock").write_text("mine")
    with pytest.raises(LinkError, match="is not a socket"):
        Server(f"unix:{tmp_path}/device.sock", lambda connection, message: None)
    assert (tmp_path / "device.sock").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "unix:", "tcp:", "tcp:host", "tcp:host:x", "tcp:host:70000", "udp:host:1", "/x"])
def test_an_invalid_address_is_reported_with_examples(text):
    with pytest.raises(FieldError, match="unix:gripper"):
        parse_address(text)


def test_a_path_that_no_system_accepts_is_reported_before():
    with pytest.raises(FieldError, match="bytes, at most 100"):
        parse_address("unix:" + "x" * 101)


def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(LinkError, match="no such file"):
        Server(f"unix:{tmp_path}/nowhere/device.sock", lambda connection, message: None)


# -- ends and troubles


def test_a_device_that_ends_notifies_all_clients(serve):
    server = serve()
    grippers = [connect(str(server.address)) for _ in range(3)]
    for gripper in grippers:
        gripper.status()
    server.close()
    for gripper in grippers:
        with pytest.raises(LinkLost, match="GONE: the device has ended"):
            gripper.status()


def test_an_error_in_a_device_ends_its_server_and_is_reported(tmp_path):
    def broken(connection: object, message: Message) -> None:
        raise ZeroDivisionError("a bug of the device")

    server = Server(f"unix:{tmp_path}/device.sock", broken)
    gripper = connect(str(server.address))
    with pytest.raises(LinkLost):
        gripper.status()
    with pytest.raises(ZeroDivisionError, match="a bug of the device"):
        server.close()
    assert list(tmp_path.iterdir()) == []
