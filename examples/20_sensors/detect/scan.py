"""One program moves the arm, another reads the sensor. The beam is 20 mm wide, so edges appear 10 mm early."""

from drycell import Pose, deg, mm, s, spawn, wait

START = Pose(250 * mm, 0, 200 * mm) @ Pose.turn_x(180 * deg)  # looking down
BEAM = 10 * mm


def scan(arm, eye):
    arm.move(START)
    spawn(watch, arm, eye, name="watch", daemon=True)
    arm.move_linear(START.moved(x=400 * mm), 50 * mm / s)


def watch(arm, eye):
    while True:
        wait(eye == 5.0)
        begins = arm.pose.x + BEAM
        wait(eye == 0.0)
        print(f"a part from {begins / mm:.1f} mm to {(arm.pose.x - BEAM) / mm:.1f} mm")
