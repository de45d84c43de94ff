"""The robot: loads a machine when sensor 1 has detected a part, and unloads it otherwise."""

from drycell import delay, wait, wait_any


def robot(sensor1, sensor2, lifted, start, ready, stored):
    loaded = False
    while stored.value < 2:
        if wait_any(sensor1, *([ready] if loaded else [])) == 0:
            wait(sensor2)
            if loaded:
                wait(ready)
                unload(ready, stored)
            load(lifted, start)
            loaded = True
        else:
            unload(ready, stored)
            loaded = False


def load(lifted, start):
    delay(6)
    lifted.set(True)
    delay(18)
    start.set(True)


def unload(ready, stored):
    delay(25)
    ready.set(False)
    stored.set(stored.value + 1)
