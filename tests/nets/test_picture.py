"""Pictures of nets and graphs: every node and arrow is drawn, and nothing overlaps."""

from collections.abc import Callable
from xml.etree import ElementTree

from hypothesis import given, strategies as st

from drycell.nets import ColouredNet, Net, net_picture
from drycell.pictures import lay_out

Fms = Callable[[int], Net]


def count(svg: str, tag: str) -> int:
    return len(ElementTree.fromstring(svg).findall(f".//{{http://www.w3.org/2000/svg}}{tag}"))


def test_a_net_is_drawn_with_all_its_nodes_arcs_and_tokens(fms: Fms) -> None:
    net = fms(2)
    svg = net_picture(net)
    assert count(svg, "circle") == 22 + 2 + 2 + 2 + 3 + 1 + 2  # places, and tokens
    assert count(svg, "rect") == 20 + 1  # transitions, and the paper
    assert count(svg, "path") == sum(len(it.takes) + len(it.gives) for it in net.transitions.values())
    assert svg == net_picture(fms(2))


def test_each_kind_of_arc_is_drawn_in_its_own_way() -> None:
    def drawn(**arc: str) -> tuple[int, int, bool]:
        net = Net()
        net.place("a")
        net.transition("t", **arc)
        svg = net_picture(net)
        return count(svg, "polygon"), count(svg, "circle"), "stroke-dasharray" in svg

    assert drawn(takes="a") == (1, 1, False)
    assert drawn(unless="a") == (0, 2, False)
    assert drawn(needs="a") == (0, 1, True)
    assert drawn(empties="a") == (2, 1, False)


def test_positions_of_the_net_are_kept() -> None:
    net = Net()
    net.place("a", 7, at=(100, 50))
    net.transition("t", "a", at=(100, 150))
    assert '<circle cx="100" cy="50"' in net_picture(net)
    assert '<circle cx="100" cy="50"' not in net_picture(net, arrange=True)


def test_coloured_tokens_are_written_out(lending: ColouredNet) -> None:
    assert "free {nest, tool}" in net_picture(lending)


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25))
def test_nodes_of_a_layout_are_apart_and_arrows_join_them(count: int, arrows: list[tuple[int, int]]) -> None:
    given_arrows = [(start, end) for start, end in arrows if start < count and end < count]
    layout = lay_out(count, given_arrows)
    for a in range(count):
        for b in range(a):
            (x, y), (p, q) = layout.nodes[a], layout.nodes[b]
            assert y != q or abs(x - p) >= 1 - 1e-9
    for (start, end), points in zip(given_arrows, layout.arrows, strict=True):
        assert points[0] == layout.nodes[start]
        assert points[-1] == layout.nodes[end]
