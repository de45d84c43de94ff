"""The program of the left arm: bring parts to the nest, one at a time."""

from drycell import approach, mm, wait


def feed(left, part1, part2, nest, left_over_nest, nest_full):
    for part in (part1, part2):
        left.pick(part)
        wait(~nest_full)
        left_over_nest.set(True)
        left.place(nest)
        nest_full.set(True)
        left.move(approach(nest, 250 * mm))
        left.home()
        left_over_nest.set(False)
