"""The end effector: the round trip of a status request to a device in a process of its own."""

from statistics import median
from time import perf_counter
from typing import Final

_REQUESTS: Final = 2000


def device_status_ms() -> float:
    """Milliseconds from a status request to its answer, median over both framings; the slower of them counts."""
    from drycell.effector.link import connect, start_device

    medians = []
    with start_device() as device:
        for framing in ("text", "binary"):
            with connect(device.address, framing=framing) as gripper:
                times = []
                for _ in range(_REQUESTS):
                    begin = perf_counter()
                    gripper.status()
                    times.append(perf_counter() - begin)
                medians.append(median(times))
    return 1e3 * max(medians)
