"""Control: one browser has it, others watch, and a browser that has left does not keep it."""

from drycell.studio.api.events import Events
from drycell.studio.server.control import PATIENCE, Control
from drycell.studio.server.events import ControlChanged


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def seated(*tabs: str) -> tuple[Control, Clock]:
    clock = Clock()
    control = Control(Events(), clock)
    for tab in tabs:
        control.join(tab, browser=f"browser of {tab}")
    return control, clock


def test_the_first_tab_steers_and_the_next_watches() -> None:
    control, _ = seated("a", "b")
    assert control.holds("a")
    assert not control.holds("b")
    assert control.watching == 2


def test_a_disconnected_page_controls_nothing() -> None:
    control, _ = seated()
    assert not control.holds(None)
    assert not control.holds("nobody")


def test_a_requester_gets_control_when_the_holder_is_silent() -> None:
    control, clock = seated("a", "b")
    control.take("b")
    assert control.asking == "b"
    assert control.holds("a")
    clock.now += PATIENCE - 0.1
    assert control.holds("a")
    clock.now += 0.2
    assert control.holds("b")
    assert not control.holds("a")
    assert control.asking is None


def test_the_holder_may_refuse_or_hand_over() -> None:
    control, clock = seated("a", "b")
    control.take("b")
    control.refuse("a")
    clock.now += 2 * PATIENCE
    assert control.holds("a")
    control.take("b")
    control.hand_over("a")
    assert control.holds("b")


def test_only_the_holder_refuses_or_hands_over() -> None:
    control, _ = seated("a", "b", "c")
    control.take("b")
    control.refuse("c")
    control.refuse("b")
    control.hand_over("b")
    assert control.asking == "b"
    assert control.holds("a")


def test_only_one_browser_can_ask_for_control_at_a_time() -> None:
    control, clock = seated("a", "b", "c")
    control.take("b")
    control.take("c")
    clock.now += PATIENCE
    assert control.holds("b")


def test_a_reloaded_page_keeps_control() -> None:
    control, clock = seated("a", "b")
    control.join("a", "browser of a")  # the new page connects before the loss of the old one is noticed
    control.leave("a")
    assert control.holds("a")
    control.leave("a")
    clock.now += PATIENCE / 2
    assert not control.holds("b")
    control.join("a", "browser of a")
    assert control.holds("a")


def test_control_of_a_holder_who_has_left_is_granted_without_a_question() -> None:
    control, clock = seated("a", "b")
    control.leave("a")
    assert not control.holds("b")
    clock.now += PATIENCE
    assert control.holds("b")


def test_control_is_granted_at_once_if_its_holder_leaves() -> None:
    control, clock = seated("a", "b")
    clock.now += 5
    control.leave("a")
    clock.now += 6
    control.take("b")
    assert control.asking == "b"
    clock.now += 4
    assert control.holds("b")


def test_another_tab_of_the_same_browser_takes_the_place_of_one_that_was_closed() -> None:
    clock = Clock()
    control = Control(Events(), clock)
    control.join("old", "browser")
    control.leave("old")
    control.join("new", "browser")
    assert control.holds("new")


def test_another_open_tab_of_the_same_browser_steers_when_the_holder_was_closed_but_not_while_it_reloads() -> None:
    clock = Clock()
    control = Control(Events(), clock)
    for tab in ("one", "two"):
        control.join(tab, "browser")
    control.leave("one")
    assert not control.holds("two")
    clock.now += 2.5
    assert control.holds("two")


def test_a_requester_who_left_gets_nothing() -> None:
    control, clock = seated("a", "b")
    control.take("b")
    control.leave("b")
    clock.now += 2 * PATIENCE
    assert control.holds("a")
    assert control.watching == 1


def test_every_change_is_reported() -> None:
    events, reported = Events(), []
    events.listen(ControlChanged, reported.append)
    control = Control(events, Clock())
    control.join("a", "x")
    control.join("b", "y")
    control.take("b")
    control.hand_over("a")
    assert [each.holder for each in reported] == ["a", "a", "a", "b"]
    assert reported[2].asking == "b"
