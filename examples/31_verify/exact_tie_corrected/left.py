"""The left arm: arrives at any time, takes the nest and then the tool, works, and releases both."""

from drycell import delay, interval, wait


def left(left_wants_nest, left_has_nest, left_wants_tool, left_has_tool):
    delay(interval("left arrives", 4, 6))
    left_wants_nest.set(True)
    wait(left_has_nest)
    left_wants_tool.set(True)
    wait(left_has_tool)
    delay(3)
    left_wants_tool.set(False)
    left_wants_nest.set(False)
