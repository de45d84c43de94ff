"""The sorter: counts a part as short or tall by the beam it breaks."""

from drycell import wait, wait_any


def sorter(low_beam, high_beam, short_ones, tall_ones):
    while True:
        if wait_any(low_beam.rises(), high_beam.rises()) == 0:
            short_ones.set(short_ones.value + 1)
        else:
            tall_ones.set(tall_ones.value + 1)
        wait(~low_beam & ~high_beam)
