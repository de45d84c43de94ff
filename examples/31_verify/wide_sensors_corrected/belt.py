"""The belt, at 40 mm/s: parts of 60 mm reach sensor 1, and stop 40 mm further at sensor 2, seen by both."""

from drycell import delay, interval, wait


def belt(sensor1, sensor2, lifted):
    for _ in range(2):
        delay(interval("part comes", 20, 75))
        sensor1.set(True)
        delay(1)
        sensor2.set(True)
        wait(lifted)
        lifted.set(False)
        sensor1.set(False)
        sensor2.set(False)
