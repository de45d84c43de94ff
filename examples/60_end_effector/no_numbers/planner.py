"""The planner: closes the jaws, opens them a little, and trusts the replies."""

from drycell import mm
from drycell.effector.link import connect


def planner():
    with connect("cell:gripper", numbered=False) as gripper:
        wanted = [20 * mm, 30 * mm]
        tickets = [gripper.move_to(gap) for gap in wanted]
        for gap, ticket in zip(wanted, tickets, strict=True):
            done = ticket.wait()
            assert abs(done.gap - gap) < 1 * mm, f"asked for {gap / mm:.0f} mm, got {done.gap / mm:.0f} mm"
