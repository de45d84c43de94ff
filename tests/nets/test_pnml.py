"""PNML: nets of other tools are read, and mistakes are reported with their lines."""

import pytest

from drycell.base import FileError
from drycell.nets import load_net, parse_net

HEAD = '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">\n'
NET = '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">\n'
TAIL = "</page></net></pnml>\n"


def test_times_events_positions_and_odd_names_are_read() -> None:
    net = parse_net(
        HEAD
        + NET
        + """<place id="n1"><name><text>say "x" &lt;&amp;</text></name>
        <graphics><position x="10" y="20.5"/></graphics><initialMarking><text>2</text></initialMarking>
        <toolspecific tool="drycell" version="1"><capacity><text>3</text></capacity></toolspecific></place>
        <transition id="n3"><name><text>t</text></name><graphics><position x="0" y="-3"/></graphics>
        <toolspecific tool="drycell" version="1"><duration><text>0.5 s .. 2.25 s</text></duration>
        <event><text>arm: moves to x</text></event></toolspecific></transition>
        <arc id="a1" source="n1" target="n3"><inscription><text>2</text></inscription></arc>"""
        + TAIL
    )
    place, it = net.places['say "x" <&'], net.transitions["t"]
    assert (place.tokens, place.capacity, place.at) == (2, 3, (10, 20.5))
    assert (it.takes, it.lasts, it.event, it.at) == ({'say "x" <&': 2}, (0.5, 2.25), "arm: moves to x", (0, -3))


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
    assert net.initial == (2, 0)
    it = net.transitions["t1"]
    assert (it.takes, it.gives, it.unless) == ({"x": 2}, {"x (p2)": 1}, {"x (p2)": 1})
    assert net.places["x (p2)"].capacity == 4


@pytest.mark.parametrize(
    ("inner", "line", "words"),
    [
        ('<place id="p"/>\n<place id="p"/>\n', 4, "the id 'p' is missing or used twice"),
        ('<place id="p"/>\n<arc id="a" source="p" target="q"/>\n', 4, "arc 'a' from 'p' to 'q': there is no 'q'"),
        ('<place id="p"><initialMarking><text>1_0</text></initialMarking></place>\n', 3, "'1_0' is not a whole number"),
        (
            '<place id="p"><initialMarking><text>-1</text></initialMarking></place>\n',
            3,
            "'-1' is not a whole number of 0",
        ),
        (
            '<transition id="t"><toolspecific tool="drycell"><duration><text>3</text></duration></toolspecific>'
            "</transition>\n",
            3,
            "duration: ",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_line(inner: str, line: int, words: str) -> None:
    with pytest.raises(FileError) as error:
        parse_net(HEAD + NET + inner + TAIL, "cell.pnml")
    assert f"cell.pnml:{line}: " in error.value.what
    assert words in error.value.what


NODES = '<place id="p"/>\n<transition id="t"/>\n'


@pytest.mark.parametrize(
    ("inner", "line", "words"),
    [
        (NODES + '<arc id="a" source="p" target="t" type="transport"/>\n', 5, "arc 'a' has type 'transport'"),
        (NODES + '<arc id="a" source="p" target="t"><type value="flush"/></arc>\n', 5, "arc 'a' has type 'flush'"),
        (
            NODES + '<arc id="a" source="p" target="t" type="timed" inscription="[2,3]"/>\n',
            5,
            "arc 'a' has type 'timed'",
        ),
        (
            NODES + '<arc id="a" source="p" target="t" type="test"><type value="reset"/></arc>\n',
            5,
            "arc 'a' has type 'test' and 'reset'",
        ),
        (NODES + '<arc id="a" source="t" target="p" type="inhibitor"/>\n', 5, "an inhibitor arc leads from a place"),
        (
            NODES + '<arc id="a" source="p" target="t" type="reset"><inscription><text>2</text></inscription></arc>\n',
            5,
            "arc 'a': a reset arc removes all tokens, but has weight 2",
        ),
        (NODES + '<place id="q" invariant="&lt;= 5"/>\n', 5, "attribute invariant='<= 5' of place 'q'"),
        ('<place id="q">\n<hlinitialMarking/></place>\n', 4, "element <hlinitialMarking> in place 'q'"),
        ('<transition id="q">\n<condition/></transition>\n', 4, "element <condition> in transition 'q'"),
        (
            '<transition id="q"><priority><value>1</value></priority></transition>\n'
            '<transition id="r"><priority><value>2</value></priority></transition>\n',
            4,
            "transition 'r': nets with different priorities",
        ),
        ("<declaration/>\n", 3, "element <declaration> in page 'p'"),
        ('<referencePlace id="r" ref="q"/>\n', 3, "referencePlace 'r' refers to 'q', but there is no place 'q'"),
        (NODES + '<referencePlace id="r" ref="t"/>\n', 5, "referencePlace 'r' refers to 't', but there is no place"),
        (
            '<referencePlace id="r" ref="s"/>\n<referencePlace id="s" ref="r"/>\n',
            3,
            "referencePlace 'r' refers to itself",
        ),
        ('</page></net>\n<net id="m" type="ptnet"><page id="q">\n', 4, "there is a second net 'm'"),
    ],
)
def test_unknown_elements_that_could_change_the_net_are_refused_by_name(inner: str, line: int, words: str) -> None:
    with pytest.raises(FileError) as error:
        parse_net(HEAD + NET + inner + TAIL, "cell.pnml")
    assert f"cell.pnml:{line}: " in error.value.what
    assert words in error.value.what


def test_references_and_what_other_tools_add_for_drawing_are_read() -> None:
    net = parse_net(
        HEAD
        + NET
        + """<place id="p" positionX="3" nameOffsetX="2"><capacity><value>0</value></capacity>
        <toolspecific tool="other" version="2"><timed/></toolspecific></place><page id="q">
        <referencePlace id="r" ref="p"/><transition id="t"><orientation><value>90</value></orientation>
        <rate><value>2.0</value></rate></transition>
        <arc id="a" source="t" target="r"/><arc id="b" source="p" target="t" type="inhibitor">
        <inscription><text>3</text></inscription></arc><arc id="c" source="r" target="t" type="inhibitor">
        <inscription><text>2</text></inscription><arcpath id="0" x="1" y="2"/></arc></page>"""
        + TAIL
    )
    assert list(net.places) == ["p"]
    assert net.places["p"].capacity is None  # 0: without a limit
    assert (net.transitions["t"].gives, net.transitions["t"].unless) == ({"p": 1}, {"p": 2})


def test_all_mistakes_are_reported_at_once() -> None:
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
        ("<a>" * 200 + "</a>" * 200, "elements are nested more than 100 deep"),
        ('<pnml><net id="n" type="symmetricnet"/></pnml>', "nets of type 'symmetricnet' are not supported"),
    ],
)  # fmt: skip
def test_an_invalid_net_is_refused(text: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        parse_net(text)


def test_a_missing_file_is_reported() -> None:
    with pytest.raises(FileError, match=r"cannot read nowhere\.pnml"):
        load_net("nowhere.pnml")
