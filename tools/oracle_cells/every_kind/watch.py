"""For the oracle: writes signals at random times, and moves the gantry."""

from drycell import choose, delay, interval


def watch(cell, gantry, work, late_work, noise, level, shaky, count, other):
    chance = cell.kernel.random("watch")
    while True:
        delay(chance.uniform(0.3, 1.5))
        work.set(not work.value)
        late_work.set(work.value)
        count.set(count.value + 1)
        level.set(chance.uniform(0, 3))
        shaky.set(float(count.value))
        if count.value % 4 == 0:
            gantry.move([chance.uniform(-1, 1), chance.uniform(-1, 1), 0.05 * choose("depth", [1, 2, 4]), 0.0])


def greet(mood, words):
    for word in words:
        delay(interval("pause", 0.5, 2.5))
        mood.set(word)
