from drycell import Pose, approach, deg, delay, mm

TRAYS = {"metal": 150 * mm, "wood": 220 * mm}  # y of the first place


def sort(arm, metal, over_probe, part1, part2, part3, part4):
    placed = {"metal": 0, "wood": 0}
    for part in (part1, part2, part3, part4):
        arm.pick(part)
        arm.move(approach(over_probe, 60 * mm))
        arm.move_linear(over_probe)
        delay(2 * metal.period)
        kind = "metal" if metal.value else "wood"
        arm.move_linear(approach(over_probe, 60 * mm))
        there = Pose((300 + 60 * placed[kind]) * mm, TRAYS[kind], 36 * mm) @ Pose.turn_x(180 * deg)
        arm.place(there)
        placed[kind] += 1
        print(f"{part.name} is {kind} ({part.material})")
