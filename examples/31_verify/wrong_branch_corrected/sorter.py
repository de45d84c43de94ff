"""The sorter: gives both beams 20 ms, then counts the part as short or tall."""

from drycell import delay, wait


def sorter(low_beam, high_beam, short_ones, tall_ones):
    while True:
        wait(low_beam)
        delay(0.02)
        if high_beam:
            tall_ones.set(tall_ones.value + 1)
        else:
            short_ones.set(short_ones.value + 1)
        wait(~low_beam & ~high_beam)
