"""Moves the arm past the bar, and compares drycell's distances with the closed form for capsules.

All points of a capsule's surface are equally far from its spine. So two capsules touch when their spines are as far
apart as the sum of their radii, and their distance is that of two line segments minus the radii.
"""

from math import cos, hypot, radians, sin

from drycell import deg, mm

UPPER, LOWER, BAR = (400 * mm, 40 * mm), (300 * mm, 30 * mm), (200 * mm, 25 * mm)  # length and radius
MIDDLE, TURN = (420 * mm, 330 * mm), radians(30)


def sweep(arm, cell):
    largest = 0.0
    for shoulder, elbow in ((-20, 60), (0, 90), (20, 20), (35, 40), (60, -10)):
        arm.move_joints([shoulder * deg, elbow * deg])
        for link, spine, radius in links(*arm.joints):
            exact = segments(spine, bar()) - radius - BAR[1]
            found = cell.scene.distance(f"arm/{link}", "bar")
            if exact > 0:  # the depth of an overlap has another definition
                largest = max(largest, abs(found - exact))
            print(f"  {shoulder:3} {elbow:3} deg  {link}  {exact / mm:8.3f} mm")
    print(f"largest difference to the closed form: {'below 1 nm' if largest < 1e-9 else f'{largest / mm:.6f} mm'}")


def links(shoulder, elbow):
    """The spines of the two links, with their radii."""
    joint = (UPPER[0] * cos(shoulder), UPPER[0] * sin(shoulder))
    tip = (joint[0] + LOWER[0] * cos(shoulder + elbow), joint[1] + LOWER[0] * sin(shoulder + elbow))
    return ("upper", ((0.0, 0.0), joint), UPPER[1]), ("lower", (joint, tip), LOWER[1])


def bar():
    """The spine of the bar."""
    x, y, half = *MIDDLE, BAR[0] / 2
    return (x - half * cos(TURN), y - half * sin(TURN)), (x + half * cos(TURN), y + half * sin(TURN))


def segments(one, other):
    """The distance of two line segments in the plane: 0 if they cross, else from an end of one to the other."""
    (a, b), (c, d) = one, other
    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0
    return min(point(a, c, d), point(b, c, d), point(c, a, b), point(d, a, b))


def side(a, b, p):
    """On which side of the line through a and b a point is."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def point(p, a, b):
    """The distance of a point from a line segment."""
    x, y = b[0] - a[0], b[1] - a[1]
    share = min(max(((p[0] - a[0]) * x + (p[1] - a[1]) * y) / (x * x + y * y), 0.0), 1.0)
    return hypot(p[0] - a[0] - share * x, p[1] - a[1] - share * y)
