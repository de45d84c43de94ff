"""Nets that several tests use."""

from collections.abc import Callable

import pytest
from hypothesis import strategies as st

from drycell.nets import ColouredNet, Net

FMS_ARCS = """
tP1: P1 -> P1wM1            tM1: P1wM1 M1 -> P1M1       tP1M1: P1M1 -> P1d M1
tP1e: P1d -> P1s            tP1s: P1s -> P1             tP1j: P1d -> P1wP2
tx: P1wP2 P2wP1 -> P12      tP12: P12 -> P12wM3         tM3: P12wM3 M3 -> P12M3
tP12M3: P12M3 -> P12s M3    tP12s: P12s -> P1 P2        tP2: P2 -> P2wM2
tM2: P2wM2 M2 -> P2M2       tP2M2: P2M2 -> P2d M2       tP2e: P2d -> P2s
tP2s: P2s -> P2             tP2j: P2d -> P2wP1          tP3: P3 -> P3M2
tP3M2: P3M2 M2 -> P3s M2    tP3s: P3s -> P3
"""


def _fms(parts: int) -> Net:
    """The flexible manufacturing system of Ciardo and Trivedi with a number of parts of each of its three kinds."""
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
    """Two programs that take a nest and a tool in opposite orders, so they can block each other."""
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


@pytest.fixture(scope="session")
def fms() -> Callable[[int], Net]:
    """The flexible manufacturing system for a number of parts."""
    return _fms


@st.composite
def _nets(draw: st.DrawFn) -> Net:
    """Small nets whose places hold at most three tokens."""
    net = Net("random")
    places = [f"p{number}" for number in range(draw(st.integers(1, 4)))]
    for place in places:
        net.place(place, draw(st.integers(0, 2)), capacity=draw(st.integers(2, 3)))
    arcs = st.dictionaries(st.sampled_from(places), st.integers(1, 2), max_size=2)
    for number in range(draw(st.integers(0, 5))):
        unless = draw(st.dictionaries(st.sampled_from(places), st.integers(1, 3), max_size=1))
        needs = draw(st.dictionaries(st.sampled_from(places), st.integers(1, 2), max_size=1))
        empties = draw(st.lists(st.sampled_from(places), max_size=1))
        net.transition(f"t{number}", draw(arcs), draw(arcs), unless=unless, needs=needs, empties=empties)
    return net


@pytest.fixture(scope="session")
def small_nets() -> st.SearchStrategy[Net]:
    """Small nets to draw from."""
    return _nets()


@pytest.fixture
def lending() -> ColouredNet:
    """The two takers as a coloured net: who takes what at which step."""
    net = ColouredNet("lending")
    net.place("free", ["nest", "tool"])
    net.place("step", [("left", 0), ("right", 0)])
    net.place("route", [("left", 0, "nest"), ("left", 1, "tool"), ("right", 0, "tool"), ("right", 1, "nest")])
    net.transition(
        "take",
        takes={"step": "(who, n)", "route": "(who, n, what)", "free": "what"},
        gives={"step": "(who, n + 1)", "route": "(who, n, what)"},
    )
    net.transition(
        "give back",
        takes={"step": "(who, 2)", "route": ["(who, 0, first)", "(who, 1, then)"]},
        gives={"step": "(who, 0)", "route": ["(who, 0, first)", "(who, 1, then)"], "free": ["first", "then"]},
    )
    return net
