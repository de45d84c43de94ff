"""The belt, at 40 mm/s: parts of 60 mm pass sensor 1, and stop 200 mm further at sensor 2 until they are lifted."""

from drycell import delay, interval, wait


def belt(sensor1, sensor2, lifted):
    for _ in range(2):
        delay(interval("part comes", 20, 75))
        sensor1.set(True)
        delay(1.5)
        sensor1.set(False)
        delay(3.5)
        sensor2.set(True)
        wait(lifted)
        lifted.set(False)
        sensor2.set(False)
