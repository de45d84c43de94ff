"""A run's memory does not grow with its length."""

import gc
import tracemalloc

from drycell.kernel import Journal, Kernel, delay, spawn, wait


def test_memory_stays_flat_with_a_sink() -> None:
    written = 0

    def count(record: object) -> None:
        nonlocal written
        written += 1

    kernel = Kernel(journal=Journal(sink=count))
    level = kernel.signal("level", 0)
    sizes: list[int] = []

    def program() -> None:
        while True:
            wait(level.changes(), timeout=100)
            wait(spawn(delay, 0.0001, name="child"))

    def measure() -> None:
        kernel.settle()
        level.history.forget(kernel.now)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])

    kernel.every(1000, lambda: level.set(level.value + 1))
    kernel.every(1_000_000, measure, phase=1_000_000, owner="measure")
    kernel.spawn(program)
    tracemalloc.start()
    try:
        kernel.run(until=4_000_000)
    finally:
        tracemalloc.stop()
    assert written > 12_000
    assert len(sizes) == 4
    # 3,000 more rounds; the memory held meanwhile (a few hundred cancelled timers) is bounded
    assert max(sizes) - min(sizes) < 300_000


def test_runs_leave_nothing_behind() -> None:
    def once() -> None:
        kernel = Kernel()
        never = kernel.signal("never", False)
        for _ in range(5):
            kernel.spawn(wait, never, 100, daemon=True)
        kernel.spawn(delay, 1.0, name="main")
        kernel.run()

    for _ in range(5):
        once()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        once()
    gc.collect()
    assert len(gc.get_objects()) - before < 50
