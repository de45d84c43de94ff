"""PNML: what is written reads back as the same net, and mistakes are told with their lines."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from drycell.base import FileError
from drycell.nets import ColouredNet, Net, NetError, load_net, net_text, parse_net, save_net

Fms = Callable[[int], Net]
HEAD = '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">\n'
NET = '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">\n'
TAIL = "</page></net></pnml>\n"


@given(st.data())
def test_a_plain_net_goes_round(small_nets: st.SearchStrategy[Net], data: st.DataObject) -> None:
    net = data.draw(small_nets)
    again = parse_net(net_text(net))
    assert isinstance(again, Net)
    assert (again.places, again.transitions, again.name) == (net.places, net.transitions, net.name)


def test_times_events_positions_and_odd_names_go_round(tmp_path: Path) -> None:
    net = Net("<a & b>")
    net.place('say "x"', 2, capacity=3, at=(10, 20.5))
    net.place("ä")
    net.transition("t", 'say "x"', "ä", lasts=(0.5, 2.25), label="arm: moves to x", at=(0, -3))
    net.transition("u", "ä", lasts=1)
    save_net(net, tmp_path / "net.pnml")
    again = load_net(tmp_path / "net.pnml")
    assert isinstance(again, Net)
    assert (again.name, again.places, again.transitions) == (net.name, net.places, net.transitions)
    assert net_text(again) == net_text(net)


def test_a_coloured_net_goes_round(lending: ColouredNet) -> None:
    net = lending
    again = parse_net(net_text(net))
    assert isinstance(again, ColouredNet)
    assert net_text(again) == net_text(net)
    assert again.initial == net.initial
    assert again.enabled(again.initial) == net.enabled(net.initial)


def test_a_function_of_python_cannot_be_written() -> None:
    net = ColouredNet()
    net.place("a", [1])
    net.transition("t", {"a": "x"}, {"a": lambda x: x})
    with pytest.raises(NetError, match="'t' has a Python function"):
        net_text(net)


def test_files_of_other_tools_are_read() -> None:
    """Nodes without pages, values instead of texts, names that are used twice, inhibitor arcs."""
    net = parse_net(
        '<?xml version="1.0"?><pnml><net id="n" type="P/T net">'
        '<place id="p1"><name><value>x</value></name><initialMarking><value>Default,2</value></initialMarking></place>'
        '<place id="p2"><name><value>x</value></name><capacity><value>4</value></capacity></place>'
        '<transition id="t1"/>'
        '<arc id="a1" source="p1" target="t1"><inscription><value>Default,2</value></inscription></arc>'
        '<arc id="a2" source="t1" target="p2"/>'
        '<arc id="a3" source="p2" target="t1"><type value="inhibitor"/></arc></net></pnml>'
    )
    assert isinstance(net, Net)
    assert net.initial == (2, 0)
    it = net.transitions["t1"]
    assert (it.takes, it.gives, it.unless) == ({"x": 2}, {"x (p2)": 1}, {"x (p2)": 1})
    assert net.places["x (p2)"].capacity == 4


def test_the_benchmark_comes_back_as_it_was(fms: Fms) -> None:
    assert net_text(parse_net(net_text(fms(2)))) == net_text(fms(2))


@pytest.mark.parametrize(
    ("inner", "line", "words"),
    [
        ('<place id="p"/>\n<place id="p"/>\n', 4, "the id 'p' is missing or used twice"),
        ('<place id="p"/>\n<arc id="a" source="p" target="q"/>\n', 4, "arc 'a' from 'p' to 'q': there is no 'q'"),
        ('<place id="p"><initialMarking><text>1_0</text></initialMarking></place>\n', 3, "'1_0' is no whole number"),
        ('<place id="p"><initialMarking><text>-1</text></initialMarking></place>\n', 3, "'-1' is no whole number of 0"),
        (
            '<transition id="t"><toolspecific tool="drycell"><duration><text>3</text></duration></toolspecific>'
            "</transition>\n",
            3,
            "duration: ",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(inner: str, line: int, words: str) -> None:
    with pytest.raises(FileError) as error:
        parse_net(HEAD + NET + inner + TAIL, "cell.pnml")
    assert f"cell.pnml:{line}: " in error.value.what
    assert words in error.value.what


def test_all_mistakes_are_told_at_once() -> None:
    inner = '<place id="p"/>\n<arc id="a" source="p" target="q"/>\n<arc id="b" source="r" target="p"/>\n'
    with pytest.raises(FileError, match=r"cell\.pnml has 2 mistakes"):
        parse_net(HEAD + NET + inner + TAIL, "cell.pnml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<pnml><net>", "not XML"),
        ("", "not XML"),
        ("<pnml/>", "there is no <net> in it"),
        ('<!DOCTYPE pnml [<!ENTITY e SYSTEM "file:///etc/hostname">]><pnml><net id="n" type="ptnet">&e;</net></pnml>',
         "it has a document type"),
        ('<pnml><net id="n" type="symmetricnet"/></pnml>', "nets of type 'symmetricnet' are not read"),
    ],
)  # fmt: skip
def test_what_is_no_net_is_refused(text: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        parse_net(text)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(FileError, match=r"cannot read nowhere\.pnml"):
        load_net("nowhere.pnml")
