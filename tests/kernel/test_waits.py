"""Every wait of every program is recorded in a track: what it waits for, or None."""

from drycell.kernel import Awaited, Kernel, delay, wait


def _run(until: int | None = None) -> Kernel:
    kernel = Kernel()
    part = kernel.signal("part", False)

    def feeder() -> None:
        for pause in (2, 5, 1):
            delay(pause)
            part.set(True)
            delay(0.5)
            part.set(False)

    def taker() -> None:
        for _ in range(3):
            wait(part)
            wait(~part)

    kernel.spawn(feeder)
    kernel.spawn(taker)
    kernel.run(until)
    return kernel


def test_every_wait_is_recorded_with_its_line() -> None:
    track = _run().tracks.track("waits", "taker")
    places = [place for place in track.by_value() if place is not None]
    assert [place.condition for place in places] == ["part", "~part"]
    assert {place.file for place in places} == {__file__}
    part, gone = (track.spans(place) for place in places)
    assert part.until(10_000_000) == [(0, 2_000_000), (2_500_000, 7_500_000), (8_000_000, 9_000_000)]
    assert gone.until(10_000_000) == [(2_000_000, 2_500_000), (7_500_000, 8_000_000), (9_000_000, 9_500_000)]
    assert (part.longest(10_000_000), gone.total(8_200_000)) == ((5_000_000, 2_500_000), 1_000_000)


def test_the_wait_of_a_program_at_an_instant_is_known() -> None:
    track = _run().tracks.track("waits", "taker")
    found = track.at(4_000_000)
    assert isinstance(found, Awaited)
    assert found.condition == "part"
    assert track.at(99_000_000) is None


def test_a_wait_cut_off_by_the_end_of_the_run_stays_open() -> None:
    track = _run(until=4_000_000).tracks.track("waits", "taker")
    assert track[-1] is not None
    assert track.times[-1] == 2_500_000


def test_a_cancelled_wait_ends() -> None:
    kernel = Kernel()
    never = kernel.signal("never", False)
    waiter = kernel.spawn(wait, never, name="waiter")

    def boss() -> None:
        delay(1)
        waiter.cancel()
        delay(1)

    kernel.spawn(boss)
    kernel.run()
    track = kernel.tracks.track("waits", "waiter")
    assert list(track.times) == [0, 1_000_000]
    assert track[-1] is None
