"""Nets that several tests look at."""

import pytest

from drycell.verify.nets import Net

FMS_ARCS = """
tP1: P1 -> P1wM1            tM1: P1wM1 M1 -> P1M1       tP1M1: P1M1 -> P1d M1
tP1e: P1d -> P1s            tP1s: P1s -> P1             tP1j: P1d -> P1wP2
tx: P1wP2 P2wP1 -> P12      tP12: P12 -> P12wM3         tM3: P12wM3 M3 -> P12M3
tP12M3: P12M3 -> P12s M3    tP12s: P12s -> P1 P2        tP2: P2 -> P2wM2
tM2: P2wM2 M2 -> P2M2       tP2M2: P2M2 -> P2d M2       tP2e: P2d -> P2s
tP2s: P2s -> P2             tP2j: P2d -> P2wP1          tP3: P3 -> P3M2
tP3M2: P3M2 M2 -> P3s M2    tP3s: P3s -> P3
"""


def fms(parts: int) -> Net:
    """The flexible manufacturing system of Ciardo and Trivedi with so many parts of each of its three kinds."""
    places = "P1 P1wM1 P1M1 M1 P1d P1s P1wP2 P12 P12wM3 P12M3 M3 P12s P2 P2wM2 P2M2 M2 P2d P2s P2wP1 P3 P3M2 P3s"
    tokens = {"P1": parts, "P2": parts, "P3": parts, "M1": 3, "M2": 1, "M3": 2}
    net = Net(f"FMS {parts}")
    for place in places.split():
        net.place(place, tokens.get(place, 0))
    for line in FMS_ARCS.replace("  ", "\n").split("\n"):
        if line.strip():
            name, arcs = line.strip().split(": ")
            takes, gives = arcs.split(" -> ")
            net.transition(name, takes.split(), gives.split())
    return net


@pytest.fixture
def two_takers() -> Net:
    """Two programs that take a nest and a tool, each the other one first: they can block each other."""
    net = Net("two takers")
    for place in ("nest", "tool", "left 0", "right 0"):
        net.place(place, 1)
    for place in ("left 1", "left 2", "right 1", "right 2"):
        net.place(place)
    for who, first, second in (("left", "nest", "tool"), ("right", "tool", "nest")):
        net.transition(f"{who} takes {first}", [f"{who} 0", first], f"{who} 1")
        net.transition(f"{who} takes {second}", [f"{who} 1", second], f"{who} 2")
        net.transition(f"{who} gives back", f"{who} 2", [f"{who} 0", first, second])
    return net
