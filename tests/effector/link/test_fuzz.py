"""A server refuses and counts bad input of any kind, serves the next good message, and does not grow."""

import gc
import random
import socket
import struct
import tracemalloc
from contextlib import suppress

import pytest

from drycell.effector.link.framing import TextDecoder, encode
from drycell.effector.link.server import ServerLimits
from drycell.effector.messages import Code, Message

GOOD = Message.of("PGMOV", (0.0, 0.02, 0.0, 1.0, 5.0, 0.0), 1)


def text_case(stream: random.Random) -> bytes:
    """A line that no device serves, including its line feed."""
    good = encode(GOOD)[:-1]
    kind = stream.randrange(10)
    if kind == 0:
        return stream.randbytes(stream.randrange(1, 200)).replace(b"\n", b"\0") + b"\n"
    if kind == 1:
        return good[: stream.randrange(len(good) - 3)] + b"\n"
    if kind == 2:
        return bytes(stream.choices(b"DRY1 PGMOVSTA0.-e!", k=100)) * stream.randrange(3, 200) + b"\n"
    if kind == 3:
        wrong = stream.choice(["nan", "NaN", "inf", "-inf", "Infinity", "1e400", "0x1", "1_0", "", "--1", "1e", "٣"])
        fields = good.decode().split(" ")
        fields[stream.randrange(3, 9)] = wrong
        return " ".join(fields).encode() + b"\n"
    if kind == 4:
        fields = good.split(b" ")
        count = stream.choice([0, 1, 2, 3, 8, 10, 15])
        return b" ".join((fields * 2)[:count]) + b"\n"
    if kind == 5:
        place = stream.randrange(len(good))
        return good[:place] + bytes([stream.choice([0, 7, 9, 27, 127, 128, 200, 255])]) + good[place + 1 :] + b"\n"
    if kind == 6:
        return f"DRY1 PGMOV 1 {stream.choice([4, -1, 0.5])} {stream.uniform(1.1, 1e300)!r} 0 0 0 0\n".encode()
    if kind == 7:
        letters = "".join(stream.choices("QXYZWq", k=stream.choice([4, 5, 5, 6])))
        return f"DRY1 {letters} {stream.randrange(2**32)} 0 0 0 0 0 0\n".encode()
    if kind == 8:
        return f"DRY1 PGSTA {stream.choice(['-1', '4294967296', '1.0', '9' * 60, 'x', ''])} 0 0 0 0 0 0\n".encode()
    return stream.choice([b"DRY1 ! LONG - no\n", b"DRY1 ! NOPE 1 x\n", b"DRY2 PGSTA 1 0 0 0 0 0 0\n", b"\n", b"DRY1\n"])


def random_case(stream: random.Random) -> bytes:
    """Any bytes."""
    return stream.randbytes(stream.randrange(1, stream.choice([300, 20_000])))


class Line:
    """A raw connection that asks for the status after every case."""

    def __init__(self, path: str) -> None:
        self.line = socket.socket(socket.AF_UNIX)
        self.line.settimeout(60.0)
        self.line.connect(path)
        self.decoder = TextDecoder()
        self.refusals = 0

    def status_after(self, case: bytes, number: int) -> None:
        """Sends a case and a status request, and reads on until the status is there. Fails when it never comes."""
        asked = Message.of("PGSTA", sequence=number)
        self.line.sendall(case + encode(asked))
        while True:
            for answer in self.decoder.feed(self.line.recv(65536)):
                if isinstance(answer, Message):
                    assert (answer.command, answer.sequence) == ("STA", number)
                    return
                self.refusals += 1


def fuzz(serve, seed: int, cases: int) -> None:
    stream = random.Random(f"text/{seed}")
    server = serve(limits=ServerLimits(rate=1e6, burst=100_000))
    line = Line(server.address.path)
    line.status_after(b"", 2**31)
    tracemalloc.start()
    try:
        for number in range(cases):
            before = server.tally.refusals
            line.status_after(text_case(stream), number)
            assert server.tally.refusals > before, "a bad message that was not counted"
            if number == cases // 4:
                gc.collect()
                early = tracemalloc.get_traced_memory()[0]
        gc.collect()
        late, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        line.line.close()
    assert server.tally.served == cases + 1
    assert server.tally.refusals == line.refusals
    assert late - early < 200_000, "memory that grows with what comes"
    assert peak < 8_000_000


@pytest.fixture
def forgetful(stand_in):
    """A stand-in that remembers nothing, so that only the server can grow."""
    stand_in.seen = type("Nowhere", (), {"append": lambda self, message: None})()


@pytest.mark.usefixtures("forgetful")
def test_every_bad_message_is_refused_and_counted_and_the_next_good_one_served(serve):
    fuzz(serve, 0, 1500)


@pytest.mark.soak
@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_hundred_thousand_bad_messages_are_refused(serve, seed):
    fuzz(serve, seed, 10_000)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(40, 400))])
def test_broken_connections_do_not_affect_others(serve, seed):
    stream = random.Random(seed)
    server = serve(limits=ServerLimits(half=0.2, connections=4))
    other = Line(server.address.path)
    for number in range(8):
        with socket.socket(socket.AF_UNIX) as bad:
            bad.connect(server.address.path)
            data = b"".join(stream.choice([text_case, random_case])(stream) for _ in range(stream.randrange(1, 6)))
            bad.settimeout(0.05)
            with suppress(OSError):  # it may be disconnected, for the sake of others or by a timeout
                bad.sendall(data[: stream.randrange(len(data) + 1)])
            if stream.random() < 0.3:
                bad.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        other.status_after(b"", number)
    other.line.close()


def test_all_codes_that_a_client_can_provoke_occur(serve):
    server = serve()
    line = Line(server.address.path)
    stream = random.Random(5)
    for number in range(400):
        line.status_after(text_case(stream), number)
    line.line.close()
    met = {Code.LONG, Code.ASCII, Code.VERSION, Code.SHAPE, Code.CHARACTERS, Code.SEQUENCE, Code.REAL, Code.DEVICE}
    assert met | {Code.LIMIT, Code.WAY, Code.COMMAND} <= set(server.tally.refused)
