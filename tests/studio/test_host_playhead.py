"""The playhead: it follows the present, seeks and replays the past in both directions, and stops at the ends."""

from drycell.studio.host.playhead import Playhead


class Wall:
    """A clock that shows the time it was given, and the end of the known time."""

    time = 0.0
    end = 10_000_000

    def head(self) -> Playhead:
        return Playhead(lambda: self.end, clock=lambda: self.time)


def test_it_follows_the_end_until_an_instant_is_sought() -> None:
    wall = Wall()
    head = wall.head()
    assert (head.shown, head.follows) == (10_000_000, True)
    head.seek(3_000_000)
    wall.end = 12_000_000
    assert (head.shown, head.follows) == (3_000_000, False)
    head.follow()
    assert head.shown == 12_000_000


def test_it_plays_to_the_end_and_follows_from_there() -> None:
    wall = Wall()
    head = wall.head()
    head.seek(4_000_000)
    head.play(2.0)
    wall.time = 1.5
    assert (head.shown, head.factor) == (7_000_000, 2.0)
    head.seek(1_000_000)  # continues to play from there
    wall.time = 2.5
    assert (head.shown, head.factor) == (3_000_000, 2.0)
    wall.time = 100.0
    head.advance()
    assert (head.shown, head.factor, head.follows) == (10_000_000, None, True)


def test_it_plays_backwards_to_the_beginning_and_stays() -> None:
    wall = Wall()
    head = wall.head()
    head.play(-1.0)
    wall.time = 4.0
    assert head.shown == 6_000_000
    head.hold()
    wall.time = 9.0
    assert (head.shown, head.factor) == (6_000_000, None)
    head.play(-1.0)
    wall.time = 30.0
    head.advance()
    assert (head.shown, head.follows) == (0, False)


def test_nothing_beyond_what_is_known_is_shown() -> None:
    head = Wall().head()
    head.seek(99_000_000)
    assert head.shown == 10_000_000
    head.seek(-5)
    assert head.shown == 0
