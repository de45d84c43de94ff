"""Fills the pallet place by place. Each place says which kind of part goes there; boxes are waited for."""

from drycell import delay, ms, wait


def palletise(arm, pallet, eye):
    while pallet.left:
        place = pallet.next()
        if place.part == "box":
            wait(eye)
            delay(200 * ms)  # it runs on to the end of the belt
        part = arm.pick(place.part)
        arm.place(place)
        print(f"{part.name} is at {place.name}: layer {place.layer}, row {place.row}, column {place.column}")
