"""Laws that hold for any plan of faults: the truth returns, runs repeat, and skipped samples change nothing."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.geometry import Sphere
from drycell.kernel import Kernel, RandomWalkChooser, Rank, Signal, delay, seconds
from drycell.sensors import Fault, Output, SensorModel
from drycell.sensors.faults import KINDS, Disturbance, Drift, Dropout, Late, Spike, Stuck

END = 8.0
TYPES: dict[str, tuple[Any, ...]] = {
    "flag": (False, True),
    "flag2": (True, False),
    "count": (0, 1, -3, 12),
    "count2": (5, 4, 3),
    "level": (0.0, 1.5, -2.25),
    "level2": (1.0, 0.5),
    "text": ("none", "tall", "short"),
}
TIMES = st.integers(0, 79).map(lambda n: n / 10)
SPANS = st.integers(1, 30).map(lambda n: n / 10)


@st.composite
def faults(draw: st.DrawFn, signal: str, sampled: bool = False) -> Fault:
    """Any fault that fits a signal and is over before the end."""
    kind_of = type(TYPES[signal][0])
    fitting = [
        kind
        for kind in KINDS
        if not (kind.startswith("stuck_") and kind_of is not bool)
        and not (kind == "drift" and kind_of not in (int, float))
        and not (kind == "swapped" and f"{signal.rstrip('2')}2" not in TYPES)
    ]
    kind = draw(st.sampled_from(fitting))
    fields: dict[str, Any] = {}
    if kind == "drift":
        fields["per_second"] = draw(st.sampled_from([-3.0, 0.25, 1.0]))
        fields["every"] = draw(SPANS)
    elif kind == "late":
        fields["by"] = draw(SPANS)
    elif kind == "swapped":
        fields["other"] = signal.rstrip("2") if signal.endswith("2") else f"{signal}2"
    elif kind == "spike" and kind_of in (int, float):
        fields["size"] = draw(st.sampled_from([-1.5, 2.0, 100.0]))
    elif kind == "spike" and kind_of is str:
        fields["value"] = "spike"
    elif kind in ("stuck", "dropout") and draw(st.booleans()):
        fields["value"] = draw(st.sampled_from(TYPES[signal]))
    at = draw(TIMES)
    when = draw(st.sampled_from(["while", "rate"] + (["share"] if kind not in ("drift", "late", "swapped") else [])))
    until = min(at + draw(SPANS), END - 0.05)
    if when == "rate":
        fields |= {"rate": draw(st.sampled_from([0.5, 2.0])), "lasting": draw(SPANS)}
    elif when == "share":
        fields["share"] = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    return KINDS[kind](at=at, until=until, **fields)


PLANS = st.lists(st.sampled_from(list(TYPES)).flatmap(lambda name: st.tuples(st.just(name), faults(name))), max_size=8)
WRITES = st.lists(
    st.tuples(
        TIMES, st.sampled_from(list(TYPES)).flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(TYPES[name])))
    ),
    max_size=25,
)


def run(plan: list[tuple[str, Fault]], writes: list[tuple[float, tuple[str, Any]]], seed: int, **more: Any) -> Kernel:
    kernel = Kernel(seed, **more)
    signals = {name: kernel.signal(name, values[0]) for name, values in TYPES.items()}
    for name, fault in plan:
        Disturbance(signals[name], fault)

    def writer() -> None:
        for time, (name, value) in sorted(writes, key=lambda each: each[0]):
            delay(max(time - seconds(kernel.now), 0))
            signals[name].set(value)
        delay(END - seconds(kernel.now))

    kernel.spawn(writer)
    kernel.run()
    return kernel


@settings(max_examples=150, deadline=None)
@given(plan=PLANS, writes=WRITES, seed=st.integers(0, 5))
def test_when_all_faults_are_over_every_signal_shows_the_truth(plan, writes, seed):
    kernel = run(plan, writes, seed)
    last = {name: values[0] for name, values in TYPES.items()}
    for _, (name, value) in sorted(writes, key=lambda each: each[0]):
        last[name] = value
    for name, signal in kernel.signals.items():
        assert signal.filter is None
        assert signal.peek() == signal.truth == last[name]
    # every begin has its end
    states = [each.fields["state"] for each in kernel.journal.records if each.kind == "fault"]
    assert states.count("begins") == states.count("ends")


@settings(max_examples=50, deadline=None)
@given(plan=PLANS, writes=WRITES, seed=st.integers(0, 5))
def test_the_same_plan_gives_the_same_journal(plan, writes, seed):
    assert run(plan, writes, seed).journal.json_lines() == run(plan, writes, seed).journal.json_lines()


@settings(max_examples=40, deadline=None)
@given(plan=PLANS, writes=WRITES, seed=st.integers(0, 3))
def test_under_a_chooser_the_truth_returns_as_well(plan, writes, seed):
    kernel = run(plan, writes, seed, chooser=RandomWalkChooser(seed))
    assert all(signal.filter is None and signal.peek() == signal.truth for signal in kernel.signals.values())


# ---------------------------------------------------------------- sampled signals


class Sampled(Signal[Any]):
    """A sensor in miniature: it samples a hidden value on its grid, and publishes after a delay.

    With ``skip`` it takes only the samples that differ from the last one taken, and those its faults ask for.
    """

    __slots__ = ("_delay", "_skip", "_source", "_taken", "_wanted", "model", "taken")

    def __init__(self, kernel: Kernel, name: str, values: tuple[Any, ...], *, skip: bool, delay: int) -> None:
        super().__init__(kernel, name, values[0])
        kernel.signals[name] = self
        kind = {bool: "boolean", int: "integer", float: "real"}[type(values[0])]
        self.model = SensorModel(
            type="range",
            volume=Sphere(0.1),
            every=0.1,
            output=Output(kind=kind, default=values[0]),  # type: ignore[arg-type]
        )
        self._skip, self._delay = skip, delay
        self._source, self._taken = values[0], values[0]
        self._wanted: int | None = None
        self.taken = 0
        kernel.every(100_000, self._tick, phase=30_000, owner=name, writes=(self,))

    def move(self, value: Any) -> None:
        """Change the hidden value."""
        self._source = value

    def disturbed(self) -> None:
        due = (self.kernel.now - 30_000 + 99_999) // 100_000  # the next sample that is not yet taken
        self._wanted = None if self.filter is None else self.filter.next_sample(due - 1)

    def _tick(self) -> None:
        k = (self.kernel.now - 30_000) // 100_000
        if self._skip and self._source == self._taken and self._wanted != k:
            return
        self._taken = self._source
        self.taken += 1
        value, now = self._source, self.kernel.now
        if self._delay:
            self.kernel.at(
                now + self._delay, lambda: self._publish(value, k, now), Rank.SENSOR, self.name, writes=(self,)
            )
        else:
            self._publish(value, k, now)
        self._wanted = None if self.filter is None else self.filter.next_sample(k)

    def _publish(self, value: Any, k: int, taken_at: int) -> None:
        if self.filter is not None:
            self.filter.sample(k, taken_at)
        self.set(value)


NUMERIC = {name: values for name, values in TYPES.items() if name != "text"}
SENSOR_PLANS = st.lists(
    st.sampled_from(list(NUMERIC)).flatmap(lambda name: st.tuples(st.just(name), faults(name))), max_size=6
)


def sampled_run(plan: list[tuple[str, Fault]], moves: list[Any], seed: int, *, skip: bool, delay_by: int) -> Kernel:
    kernel = Kernel(seed)
    sensors = {name: Sampled(kernel, name, values, skip=skip, delay=delay_by) for name, values in NUMERIC.items()}
    for name, fault in plan[::2]:
        Disturbance(sensors[name], fault)
    late: list[Disturbance] = []

    def world() -> None:
        for time, (name, value) in sorted(moves, key=lambda each: each[0]):
            delay(max(time - seconds(kernel.now), 0))
            if name in sensors:
                sensors[name].move(value)
        delay(END - seconds(kernel.now))

    def tester() -> None:  # injects the other half during the run
        for name, fault in sorted(plan[1::2], key=lambda each: each[1].at or 0):
            delay(max((fault.at or 0) - seconds(kernel.now), 0))
            late.append(Disturbance(sensors[name], fault))

    kernel.spawn(world)
    kernel.spawn(tester)
    kernel.run()
    return kernel


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plan=SENSOR_PLANS, moves=WRITES, seed=st.integers(0, 5), delay_by=st.sampled_from([0, 40_000, 250_000]))
def test_skipping_samples_that_cannot_change_gives_the_same_journal(plan, moves, seed, delay_by):
    whole = sampled_run(plan, moves, seed, skip=False, delay_by=delay_by)
    skipped = sampled_run(plan, moves, seed, skip=True, delay_by=delay_by)
    assert skipped.journal.text() == whole.journal.text()


def test_a_sensor_without_faults_is_left_to_sleep_and_one_with_a_share_is_woken_for_its_hits():
    def taken(*plan: Fault) -> int:
        kernel = Kernel(seed=1)
        sensor = Sampled(kernel, "level", (0.0,), skip=True, delay=0)
        for fault in plan:
            Disturbance(sensor, fault)
        kernel.run(until=1000 * 100_000)
        return sensor.taken

    assert taken() == 0
    assert taken(Stuck(at=10.0, until=20.0), Late(by=0.5)) == 0
    assert 0 < taken(Dropout(value=-1.0, share=0.005)) <= 2 * 20
    assert taken(Drift(per_second=0.1, at=10.0, until=20.0)) == 100


def test_a_drifting_sensor_drifts_at_its_samples():
    kernel = Kernel()
    sensor = Sampled(kernel, "level", (5.0,), skip=True, delay=0)
    Disturbance(sensor, Drift(per_second=1.0, at=0.1, until=0.4))
    kernel.run(until=1_000_000)
    assert [(time, round(value, 9)) for time, value, _ in sensor.history] == [
        (0, 5.0), (130_000, 5.03), (230_000, 5.13), (330_000, 5.23), (400_000, 5.0),
    ]  # fmt: skip


def test_a_dropped_sample_lasts_to_the_next_and_the_journal_names_it():
    kernel = Kernel(seed=3)
    sensor = Sampled(kernel, "level", (0.0, 7.0), skip=True, delay=0)
    sensor.move(7.0)
    Disturbance(sensor, Dropout(share=0.05))
    kernel.run(until=10_000_000)
    struck = [each.fields["sample"] for each in kernel.journal.records if each.kind == "fault"]
    assert struck
    down = [time for time, value, _ in sensor.history if value == 0.0][1:]
    assert down == [30_000 + 100_000 * k for k in struck if k - 1 not in struck]
    up = [time for time, value, _ in sensor.history if value == 7.0][1:]
    assert up == [30_000 + 100_000 * (k + 1) for k in struck if k + 1 not in struck]


def test_a_spike_on_a_sensor_lasts_one_period_by_default():
    kernel = Kernel()
    sensor = Sampled(kernel, "level", (5.0,), skip=True, delay=0)
    Disturbance(sensor, Spike(size=2.0, at=0.5))
    kernel.run(until=1_000_000)
    assert [(time, value) for time, value, _ in sensor.history] == [(0, 5.0), (500_000, 7.0), (600_000, 5.0)]


@pytest.mark.parametrize(("kind", "volts"), [("stuck_on", 5.0), ("stuck_off", 0.0)])
def test_a_switch_that_gives_volts_is_stuck_at_its_own_levels(kind, volts):
    kernel = Kernel()
    eye = Sampled(kernel, "eye", (2.5,), skip=False, delay=0)
    eye.model = SensorModel(
        type="proximity",
        volume=Sphere(0.1),
        output=Output(kind="real", on=5.0, off=0.0),
    )
    Disturbance(eye, KINDS[kind]())
    kernel.run(until=1_000_000)
    assert eye.peek() == volts
