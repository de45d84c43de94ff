"""The program of tiny.pas in Python: ``scorbot`` is a virtual arm or one on a line."""

from drycell import deg, mm, ms


def tiny(scorbot):
    scorbot.set_speed(9)
    scorbot.set_gripper(True)
    scorbot.move_to(250 * mm, 0 * mm, 250 * mm, -90 * deg, 0 * deg)
    scorbot.wait_position()
    scorbot.pulse(8)
    while not scorbot.input(1):
        scorbot.delay(50 * ms)
    scorbot.move_to(250 * mm, 100 * mm, 250 * mm, -90 * deg, 30 * deg)
    scorbot.wait_position()
    scorbot.set_gripper(False)
    scorbot.delay(200 * ms)
    scorbot.move_by(0 * mm, 0 * mm, 50 * mm)
    scorbot.wait_position()
    scorbot.pulse(8)
    while scorbot.input(1):
        scorbot.delay(50 * ms)
    scorbot.delay(500 * ms)
