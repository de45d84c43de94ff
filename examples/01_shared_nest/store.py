"""The program of the right arm: store parts from the nest when the left arm is out of the way."""

from drycell import wait


def store(cell, right, part1, part2, right1, right2, left_over_nest, nest_full):
    for part, place in ((part1, right1), (part2, right2)):
        wait(nest_full & ~left_over_nest)
        right.pick(part)
        right.home()
        nest_full.set(False)
        right.place(place)
    right.home()
