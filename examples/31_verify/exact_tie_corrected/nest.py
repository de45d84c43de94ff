"""Manages the nest: gives it to one arm at a time, without delay."""

from drycell import wait


def nest(left_wants_nest, left_has_nest, right_wants_nest, right_has_nest):
    while True:
        wait(left_wants_nest | right_wants_nest)
        if left_wants_nest:
            left_has_nest.set(True)
            wait(~left_wants_nest)
            left_has_nest.set(False)
        else:
            right_has_nest.set(True)
            wait(~right_wants_nest)
            right_has_nest.set(False)
