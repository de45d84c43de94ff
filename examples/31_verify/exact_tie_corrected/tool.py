"""Manages the tool: gives it to one arm at a time, without delay."""

from drycell import wait


def tool(left_wants_tool, left_has_tool, right_wants_tool, right_has_tool):
    while True:
        wait(left_wants_tool | right_wants_tool)
        if left_wants_tool:
            left_has_tool.set(True)
            wait(~left_wants_tool)
            left_has_tool.set(False)
        else:
            right_has_tool.set(True)
            wait(~right_wants_tool)
            right_has_tool.set(False)
