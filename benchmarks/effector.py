"""The end effector: the round trip of a status request to a device in its own process."""

from statistics import median
from time import perf_counter
from typing import Final

_REQUESTS: Final = 2000


def device_status_ms() -> float:
    """The median time from a status request to its answer, in milliseconds."""
    from drycell.effector.link import connect, start_device

    times = []
    with start_device() as device, connect(device.address) as gripper:
        for _ in range(_REQUESTS):
            begin = perf_counter()
            gripper.status()
            times.append(perf_counter() - begin)
    return 1e3 * median(times)
