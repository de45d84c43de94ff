"""Random programs that stack and re-stack blocks, with a collision check: every block ends where it was put."""

import random

import pytest

from drycell import Body, Box, Cell, Robot, above, mm, shifted

WIDE, TALL = 40 * mm, 30 * mm
CLEAR = 150 * mm  # a block from the table is carried over the highest stack
SLOTS = ((0.0, -200 * mm), (0.0, -100 * mm), (0.0, 100 * mm), (0.0, 200 * mm))


def stacked(seed: int, moves: int) -> int:
    """Run a random program, compare the positions of all blocks with a list of stacks, and count the carriers."""
    draw = random.Random(seed)
    cell = Cell()
    table = cell.add("table", Body(Box(900 * mm, 900 * mm, 20 * mm), at=(450 * mm, 0, -10 * mm)))
    stacks: list[list[str]] = [[] for _ in SLOTS]
    for number in range(4):
        slot = draw.randrange(len(SLOTS))
        name, x, y = f"block{number}", *SLOTS[slot]
        below = stacks[slot]
        cell.add(name, Body(Box(WIDE, WIDE, TALL), on=below[-1] if below else "table", at=(0, 0) if below else (x, y)))
        below.append(name)
    orders = []
    for _ in range(moves):
        source = draw.choice([stack for stack in stacks if stack])
        slot = draw.choice([slot for slot, stack in enumerate(stacks) if stack is not source])
        goal = stacks[slot]
        orders.append((source[-1], goal[-1] if goal else None, SLOTS[slot]))
        goal.append(source.pop())
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    names = [f"block{number}" for number in range(4)]
    touching = [(a, b) for a in names for b in ("table", *names) if a < b]
    cell.check_collisions(allow=touching)

    @cell.program
    def restack():
        for part, onto, (x, y) in orders:
            arm.pick(part, distance=CLEAR)
            goal = shifted(above(table, TALL / 2), x=x, y=y) if onto is None else above(onto, TALL / 2)
            arm.place(goal, distance=CLEAR)

    result = cell.run()
    assert result.clean, result.summary()
    for (x, y), stack in zip(SLOTS, stacks, strict=True):
        for level, name in enumerate(stack):
            wanted = (450 * mm + x, y, (level + 0.5) * TALL)
            assert cell.body(name).pose.position == pytest.approx(wanted, abs=0.1 * mm), (seed, name)
    return sum(len(cell.body(name).history.times) for name in names)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_end_where_a_random_program_stacks_them(seed):
    stacked(seed, moves=6)


@pytest.mark.soak
def test_sixty_random_stacking_programs():
    carriers = sum(stacked(100 + seed, moves=8) for seed in range(60))
    print(
        f"60 stacking programs, {60 * 8} moves of blocks, {carriers} changes of carrier: every block where it was put"
    )
