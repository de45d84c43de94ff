"""Patterns of places: positions by hand, order, errors; and pallets that are filled, exchanged and recorded."""

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Block, Body, Box, Cell, Pallet, PartLayer, Robot, deg, mm
from drycell.base import DrycellError, FileError, InvalidThing, ProgramError
from drycell.cell import Model
from drycell.handling import block_places
from drycell.recording import Recording

BOXES = PartLayer(size=(200 * mm, 150 * mm, 100 * mm), grid=(3, 2), gap=10 * mm, part="box")
CARD = PartLayer(size=(700 * mm, 400 * mm, 3 * mm), part="card")


def pallet_of(*layers, repeat=1, **more):
    cell = Cell("pattern")
    return cell, cell.add("pallet", Pallet(Box(0.8, 0.6, 0.1), layers=layers, repeat=repeat, **more))


def corner(place):
    """Where the middle of the bottom of a part is, relative to the middle of the pallet's top, in mm."""
    x, y, z = place.corner.position
    return round(x / mm, 6) + 0.0, round(y / mm, 6) + 0.0, round((z - 0.05) / mm, 6) + 0.0


def test_places_are_filled_row_by_row_from_one_corner():
    _, pallet = pallet_of(BOXES)
    # Columns every 210 mm about the middle, rows every 160 mm.
    assert [corner(each) for each in pallet.places] == [
        (-210, -80, 0), (0, -80, 0), (210, -80, 0), (-210, 80, 0), (0, 80, 0), (210, 80, 0),
    ]  # fmt: skip
    assert [(each.column, each.row) for each in pallet.places] == [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)]


def test_layers_stand_on_each_other_with_their_interlayers():
    _, pallet = pallet_of(CARD, BOXES, repeat=3)
    heights = sorted({(each.layer, corner(each)[2], each.part) for each in pallet.places})
    assert heights == [
        (1, 0, "card"), (2, 3, "box"), (3, 103, "card"), (4, 106, "box"), (5, 206, "card"), (6, 209, "box"),
    ]  # fmt: skip
    assert pallet.left == 3 * 7
    assert pallet.places[-1].local.z == pytest.approx(50 * mm + 309 * mm)  # the tool is sent to the top of the part


def test_turned_parts_take_the_space_of_their_turned_box():
    turned = PartLayer(size=(200 * mm, 150 * mm, 100 * mm), grid=(2, 1), turn=90 * deg)
    _, pallet = pallet_of(turned)
    assert [corner(each)[:2] for each in pallet.places] == [(-75, 0), (75, 0)]
    assert pallet.places[0].corner.rpy[2] == pytest.approx(90 * deg)


def test_parts_of_several_sizes_share_a_layer():
    small = Block(size=(100 * mm, 100 * mm, 60 * mm), grid=(1, 3), at=(300 * mm, 0), part="small")
    mixed = PartLayer(size=(200 * mm, 150 * mm, 100 * mm), grid=(2, 2), at=(-50 * mm, 0), part="box", beside=(small,))
    _, pallet = pallet_of(mixed, repeat=2)
    assert [each.part for each in pallet.places[:7]] == ["box"] * 4 + ["small"] * 3
    assert corner(pallet.places[4]) == (300, -100, 0)
    assert corner(pallet.places[7])[2] == 100  # the highest part counts


def test_nests_of_a_tray_are_below_its_top():
    _, tray = pallet_of(BOXES, depth=20 * mm)
    assert corner(tray.places[0])[2] == -20


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.floats(0.0, 0.02), st.sampled_from([0, 90, 180]))
@settings(deadline=None, max_examples=60)
def test_no_two_places_overlap_and_the_number_is_right(columns, rows, repeat, gap, turn):
    layer = PartLayer(size=(0.1, 0.06, 0.05), grid=(columns, rows), gap=gap, turn=turn * deg)
    places = list(block_places([CARD, layer], repeat))
    assert len(places) == repeat * (1 + columns * rows)
    boxes = []
    for each in places:
        (u, v), height = each.block.footprint, each.block.size[2]
        boxes.append((each.x - u / 2, each.x + u / 2, each.y - v / 2, each.y + v / 2, each.z, each.z + height))
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            shared = [min(one[i + 1], other[i + 1]) - max(one[i], other[i]) for i in (0, 2, 4)]
            assert min(shared) < 1e-9


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("layers: []", "the pattern has no layers"),
        ("layers: [{size: [200 mm, 150 mm], grid: [3, 2]}]", "3"),
        ("layers: [{size: [200 mm, 150 mm, -1 mm]}]", "must be above 0"),
        ("layers: [{size: [200 mm, 150 mm, 100 mm], grid: [0, 2]}]", "a grid of 0 × 2 has no places"),
        ("layers: [{size: [200 mm, 150 mm, 100 mm], gap: -1 mm}]", "0"),
        ("layers: [{size: [9 mm, 9 mm, 9 mm], grid: [80, 60]}], repeat: 9", "43200 places; the limit is 10000"),
        ("layers: [{size: [200 mm, 150 mm, 100 mm], grid: [5, 2]}]", "reaches 100.000 mm beyond the pallet: it needs"),
        (
            "layers: [{size: [200 mm, 150 mm, 100 mm], beside: [{size: [50 mm, 50 mm, 50 mm], at: [120 mm, 0]}]}]",
            "this block overlaps another one by 5.000 mm × 50.000 mm",
        ),
    ],
)  # fmt: skip
def test_a_mistake_in_a_pattern_is_shown_with_its_place_and_numbers(tmp_path, written, what):
    path = tmp_path / "cell.yaml"
    path.write_text(f"devices:\n  pallet:\n    pallet: {{shape: {{box: [800 mm, 600 mm, 100 mm]}}, {written}}}\n")
    with pytest.raises((FileError, InvalidThing, DrycellError)) as caught:
        Cell(Model.load(path))
    assert what in str(caught.value)
    assert "cell.yaml:" in str(caught.value)


def test_a_full_pallet_is_an_error_with_what_to_do():
    cell, pallet = pallet_of(BOXES)
    for number in range(1, 7):
        assert pallet.left == 7 - number
        assert pallet.next().number == number
    assert pallet.full.value is True
    with pytest.raises(ProgramError, match="pallet is full: all 6 places in 1 layers are taken") as caught:
        pallet.next()
    assert "exchange the pallet" in caught.value.hint
    pallet.reset(4)
    assert (pallet.left, pallet.full.value, pallet.next().number) == (2, False, 5)
    with pytest.raises(ProgramError, match="cannot start at place 8: it has 6 places"):
        pallet.reset(7)
    assert cell.things["pallet"] is pallet


# ---------------------------------------------------------------- in a run


def palletiser(**parts):
    """An arm with a cup beside a pallet of two layers with one card, and parts on a table."""
    cell = Cell("palletiser")
    cell.add("table", Body(Box(1.0, 1.6, 0.02), at=(0.5, 0, -0.01)))
    box = PartLayer(size=(120 * mm, 80 * mm, 40 * mm), grid=(2, 1), part="box")
    card = PartLayer(size=(240 * mm, 100 * mm, 2 * mm), part="card")
    body = Pallet(Box(0.3, 0.2, 0.05), layers=(box, card), repeat=1, on="table", at=(100 * mm, -300 * mm))
    pallet = cell.add("pallet", body)
    for name, (size, x, y, turn) in parts.items():
        cell.add(
            name, Body(Box(*(each * mm for each in size)), on="table", at=(x * mm, y * mm), rpy=(0, 0, turn * deg))
        )
    arm = cell.add("arm", Robot("ur10e", gripper="vacuum-cup-30"))
    return cell, arm, pallet


PARTS = {
    "box1": ((120, 80, 40), 0, 300, 0),
    "box2": ((120, 80, 40), 0, 500, 25),
    "card1": ((240, 100, 2), 200, 350, 90),
}


def fill(arm, pallet):
    while pallet.left:
        place = pallet.next()
        arm.pick(place.part)
        arm.place(place)


def test_an_arm_fills_a_pattern_with_parts_by_kind(tmp_path):
    cell, arm, pallet = palletiser(**PARTS)
    cell.check_collisions()
    cell.program(lambda: fill(arm, pallet), name="fill")
    path = tmp_path / "run.dry"
    result = cell.run(record=path)
    assert result.ending == "finished"
    # The nearest box first, each along its place: box 2 was turned by 25 degrees, the card by 90.
    for name, place in (("box1", 0), ("box2", 1), ("card1", 2)):
        body, wanted = cell.body(name), cell.world.pose(pallet.body) @ pallet.places[place].corner
        assert body.pose.position[:2] == pytest.approx(wanted.position[:2], abs=1e-6)
        assert body.pose.z == pytest.approx(wanted.z + body.shape.bounds[1][2], abs=1e-6)
        assert abs(body.pose.direction((1, 0, 0))[0]) == pytest.approx(1.0, abs=1e-9)
    assert pallet.parts == (cell.body("box1"), cell.body("box2"), cell.body("card1"))
    assert (result.parts.stored, pallet.left) == (3, 0)
    # Its state is in the record, at any time.
    recorded = Recording.open(path)
    signal = recorded.signals["pallet.count"]
    assert list(signal.values) == [0, 1, 2, 3]


def test_a_part_on_a_pallet_is_not_picked_again_unless_it_is_asked_for():
    cell, arm, pallet = palletiser(box1=PARTS["box1"])

    @cell.program
    def twice():
        arm.pick("box")
        arm.place(pallet.next())
        with pytest.raises(ProgramError, match=r"can pick no part of kind 'box': box1: it is on 'pallet'"):
            arm.pick("box")
        assert arm.pick("box", on=pallet) is cell.body("box1")
        arm.place(pallet.next())
        assert arm.pick(pallet.places[1]) is cell.body("box1")
        with pytest.raises(ProgramError, match=r"there is no part at pallet\.place1"):
            arm.pick(pallet.places[0])

    assert cell.run().ending == "finished"


def test_an_exchange_takes_the_parts_away_and_starts_the_pattern_again():
    cell, arm, pallet = palletiser(**PARTS)

    @cell.program
    def work():
        fill(arm, pallet)
        pallet.exchange.set(True)
        from drycell import delay

        delay(0.1)
        assert (pallet.left, pallet.parts, pallet.full.value) == (3, (), False)

    result = cell.run()
    assert result.ending == "finished"
    assert "box1" not in cell.world.bodies
    assert (result.parts.sunk, result.parts.lost) == (3, 0)


def test_a_part_that_does_not_fit_its_place_is_an_error_with_both_sizes():
    cell, arm, pallet = palletiser(box1=((140, 80, 40), 0, 300, 0))

    @cell.program
    def work():
        arm.pick("box")
        with pytest.raises(ProgramError, match=r"'box1' with 140\.000 mm × 80\.000 mm × 40\.000 mm does not fit"):
            arm.place(pallet.next())

    assert cell.run().ending == "finished"
