"""Tends two machines like robot.pas: low parts are for machine 1, tall parts for machine 2, by a sensor.

Inputs:  1 sensor 1, 2 sensor 2, 4 and 6 machine 1 and 2 ready, 7 something tall under the hand, 8 emergency.
Outputs: 1 and 2 start the machines.
Loading has priority over unloading. In an emergency, the arm finishes its current job and starts no other.
"""

from math import cos, sin

from drycell import deg, mm, ms, wait

COMING, AT_PICK, TALL, EMERGENCY = 1, 2, 7, 8
DOWN = -90 * deg
ECHO = 400 * ms  # the sensor has a new value every 350 ms


class Machine:
    """A machine: its position, its I/O lines, and whether it holds a part."""

    def __init__(self, direction, start, ready):
        self.direction, self.start, self.ready = direction, start, ready
        self.loaded = False


class Hand:
    """What the arm does with parts; every job ends near the base, where it only needs to turn."""

    def __init__(self, scorbot):
        self.scorbot = scorbot

    def go(self, x, y, z, roll=0.0):
        self.scorbot.move_to(x, y, z, DOWN, roll)
        self.scorbot.wait_position()

    def reach(self, direction, radius, z):
        self.go(radius * cos(direction), radius * sin(direction), z)

    def swing(self, direction):
        self.reach(direction, 190 * mm, 300 * mm)

    def look(self):
        """Holds the sensor, 50 mm beside the fingers, over the part at the pick position until it has an echo."""
        self.swing(100 * deg)
        self.go(-101.14 * mm, 300 * mm, 160 * mm, roll=18.63 * deg)
        self.scorbot.delay(ECHO)

    def fetch(self):
        x, y, roll = -51.14 * mm, 300 * mm, 9.67 * deg  # the roll sets the jaws across the belt
        self.go(x, y, 160 * mm, roll)
        self.go(x, y, 81 * mm, roll)
        self.scorbot.set_gripper(False)
        self.go(x, y, 160 * mm, roll)
        self.swing(100 * deg)

    def visit(self, machine, z, opened):
        """Move into a machine, open or close the gripper, and move out again."""
        self.swing(machine.direction)
        self.reach(machine.direction, 340 * mm, 360 * mm)
        self.reach(machine.direction, 340 * mm, z)
        self.scorbot.set_gripper(opened)
        self.reach(machine.direction, 340 * mm, 360 * mm)
        self.swing(machine.direction)

    def load(self, machine):
        self.fetch()
        self.visit(machine, 281.5 * mm, opened=True)
        self.scorbot.pulse(machine.start)
        machine.loaded = True

    def unload(self, machine):
        self.visit(machine, 281 * mm, opened=False)
        self.swing(143 * deg)
        self.go(-230 * mm, 170 * mm, 90 * mm)
        self.scorbot.set_gripper(True)
        self.swing(143 * deg)
        machine.loaded = False


def robot(scorbot, io):
    low, tall = machines = Machine(0 * deg, start=1, ready=4), Machine(-90 * deg, start=2, ready=6)
    hand = Hand(scorbot)
    scorbot.set_gripper(True)
    scorbot.set_speed(9)
    hand.swing(100 * deg)
    wanted = None  # the machine that the part at the pick position is for, once that was looked at
    while not io.input(EMERGENCY):
        if io.input(AT_PICK) and not wanted:
            hand.look()
            wanted = tall if io.input(TALL) else low
            hand.swing(100 * deg)  # so low, the hand would hit machine 1 on its way to machine 2
        done = [each for each in machines if each.loaded and io.input(each.ready)]
        if wanted and not wanted.loaded:
            hand.load(wanted)
            wanted = None
        elif not wanted and io.input(COMING):
            wait(io.on(AT_PICK) | io.on(EMERGENCY))
        elif done:
            hand.unload(wanted if wanted in done else done[0])
        else:
            if not wanted:
                hand.swing(100 * deg)
            wait(something_to_do(io, machines, wanted))


def something_to_do(io, machines, wanted):
    """A part has arrived, a loaded machine is ready, or the program should end."""
    condition = io.on(EMERGENCY) if wanted else io.on(EMERGENCY) | io.on(COMING) | io.on(AT_PICK)
    for machine in machines:
        if machine.loaded:
            condition |= io.on(machine.ready)
    return condition
