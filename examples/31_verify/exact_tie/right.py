"""The right arm: arrives at any time, takes the tool and then the nest, works, and releases both."""

from drycell import delay, interval, wait


def right(right_wants_nest, right_has_nest, right_wants_tool, right_has_tool):
    delay(interval("right arrives", 5, 9))
    right_wants_tool.set(True)
    wait(right_has_tool)
    right_wants_nest.set(True)
    wait(right_has_nest)
    delay(3)
    right_wants_tool.set(False)
    right_wants_nest.set(False)
