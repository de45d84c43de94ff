"""Logic blocks: rules that set signals from other signals in every scan, as in a PLC.

In each scan the block reads its inputs as they were just before that instant, evaluates its rules in order, and then
sets the outputs that have changed. A scan that cannot differ from the previous one is skipped: a scan is needed after a
change of an input, when a timer is due, and after a scan that changed something. Skipping does not change the results.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Final

from drycell.base import (
    DrycellError,
    Duration,
    FieldError,
    InvalidThing,
    KernelError,
    Name,
    Problem,
    Roles,
    ms,
    type_of,
)
from drycell.cell import Cell, Device, Live, Stage
from drycell.devices.controller import Drivers
from drycell.devices.logic_rules import (
    Expression,
    LogicRule,
    LogicRules,
    LogicScan,
    Reference,
    RulePlace,
    RuleTranslator,
    Run,
    Value,
    ValueKind,
    kind_of,
    parse_expression,
)
from drycell.kernel import FOREVER, DeviceOutput, Rank, Reserved, Signal, Timer, ticks

_KINDS: Final[dict[type, ValueKind]] = {bool: "on or off", int: "a number", float: "a number", str: "a string"}
_INITIAL: Final[dict[ValueKind, Value]] = {"on or off": False, "a number": 0.0, "a string": ""}


class Logic(Device, kind="logic", stage=Stage.WIRED, kw_only=False, icon="schema", example={"rules": {"lamp": "true"}}):
    """Rules that set signals from other signals in every scan, as in a PLC.

    An output is a signal of the cell. If the cell has no signal with that name, and the name has no dot, the block
    declares the output itself as ``NAME.output``. Rules can use either name for it.

    >>> from drycell import Cell, Logic, ms, s
    >>> cell = Cell("safety")
    >>> door, eye = cell.signal("door", True), cell.signal("eye", False)
    >>> guard = cell.add("guard", Logic({"enable": "door and not eye", "late": "ton(door, 500 ms)"}, scan=10*ms))
    >>> result = cell.run(until=1*s)
    >>> cell.kernel.signals["guard.enable"].value, cell.kernel.signals["guard.late"].value
    (True, True)
    """

    has_body: ClassVar[bool] = False

    rules: Annotated[Mapping[str, str], LogicRules(type_of(Name), LogicRule())]
    """Expressions by the signals that they set, evaluated in this order."""
    scan: Duration = 10 * ms
    """Time from one scan to the next."""
    skip: bool = True
    """Whether scans that cannot change anything are skipped. The results are the same."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: there must be rules, and a scan time of at least one tick."""
        yield from super().problems()
        if not self.rules:
            yield Problem((), "the list of rules is empty", "write rules: {output: expression}")
        if not ticks(self.scan) > 0:
            yield Problem(("scan",), f"a scan time of {self.scan:g} s is too short", "give a time such as 10 ms")

    def offers(self, name: str) -> Roles:
        """The block and its outputs, including those that turn out to be signals of the cell."""
        own = (output.removeprefix(f"{name}.") for output in self.rules)
        outputs = {f"{name}.{each}": ("signal",) for each in own if "." not in each}
        return {**super().offers(name), **outputs}

    def build(self, cell: Cell, name: str) -> "LiveLogic":
        """Declare the outputs. Rules are connected when all signals exist."""
        return LiveLogic(cell, name, self)


class LiveLogic(Live[Logic]):
    """A logic block in a running cell. ``outputs`` are the signals that it sets, by rule."""

    def __init__(self, cell: Cell, name: str, model: Logic) -> None:
        super().__init__(cell, name, model)
        self._kernel, self._period, self._skip = cell.kernel, ticks(model.scan), model.skip
        self._trees = {output: parse_expression(text) for output, text in model.rules.items()}
        self.outputs: dict[str, Signal[Any]] = {}
        self._places: dict[str, RulePlace] = {}
        self._pass = LogicScan()
        for output, tree in self._trees.items():
            with _placed(output):
                self._declare(output, tree)
        taken = cell.shared(Drivers, Drivers).claim(self.outputs, lambda _: f"the rule of {name!r}")
        for output, error in taken.items():
            with _placed(str(output)):
                raise error
        self._inputs: list[tuple[int, Signal[Any]]] = []
        self._rules: list[tuple[int, Run, Signal[Any]]] = []
        self._next: Timer | None = None
        self._owed = 0  # time of the scan after the last change of an input

    def complete(self) -> None:
        """Find the signals in the rules, and start scanning."""
        for output, tree in self._trees.items():
            place, signal = self._places[output], self.outputs[output]
            with _placed(output):
                run = RuleTranslator(self.model.rules[output], self).translate_as(tree, place.kind, place.unit)
            self._rules.append((place.index, run, signal))
        for _, signal in self._inputs:
            signal.subscribe(self._input_changed, self.outputs.values)
        if self._skip:
            self._scan_at(-(-self._kernel.now // self._period) * self._period)
        else:
            written = tuple(self.outputs.values())
            self._kernel.every(self._period, self._scan, rank=Rank.DEVICE, owner=self.name, writes=written)

    @property
    def inputs(self) -> tuple[Signal[Any], ...]:
        """The signals that it reads, except its own outputs."""
        return tuple(signal for _, signal in self._inputs)

    # ---------------------------------------------------------------- names in rules

    def place(self, name: str) -> RulePlace | None:
        """The entry of a signal in the process image; a signal of the cell gets one on first use."""
        if name not in self._places:
            signal = self._kernel.signals.get(name)
            if signal is None:
                return None
            self._enter(name, signal)
            self._inputs.append((self._places[name].index, signal))
        return self._places[name]

    def known(self) -> Iterable[str]:
        """All names that rules may use."""
        return {*self.outputs, *self._kernel.signals}

    def _enter(self, name: str, signal: Signal[Any]) -> None:
        image = self._pass.image
        image.append(_read(signal.peek()))
        self._places[name] = RulePlace(len(image) - 1, _KINDS[signal.value_type], signal.unit)

    def _declare(self, output: str, tree: Expression) -> None:
        known, own = self._kernel.signals, output.removeprefix(f"{self.name}.")
        if output not in known and "." not in own:
            DeviceOutput(self._kernel, self.name, f"{self.name}.{own}", _INITIAL[kind_of(tree, self._kind_named)])
            name = f"{self.name}.{own}"
        else:
            name = output
        signal = self._kernel.signal_named(name)
        if isinstance(signal, Reserved) and not (isinstance(signal, DeviceOutput) and signal.owner == self.name):
            raise signal.refusal("a rule")
        if any(each is signal for each in self.outputs.values()):
            raise FieldError(f"'{signal.name}' already has a rule", hint="join the two with 'or'")
        self.outputs[output] = signal
        self._enter(output, signal)
        self._places[signal.name] = self._places[output]

    def _kind_named(self, name: str) -> ValueKind | None:
        """The kind of value of a signal or of an output with a later rule; None if it depends only on its use."""
        known, seen = self._kernel.signals, set()
        while name not in known and f"{self.name}.{name}" not in known:
            own = name.removeprefix(f"{self.name}.")
            tree = self._trees.get(own, self._trees.get(f"{self.name}.{own}"))
            if tree is None or own in seen:
                return None
            seen.add(own)
            if not isinstance(tree, Reference):
                return kind_of(tree, lambda _: None)
            name = tree.name
        return _KINDS[known[name if name in known else f"{self.name}.{name}"].value_type]

    # ---------------------------------------------------------------- scans

    def _input_changed(self, _: object) -> None:
        """Schedule the next scan: a scan at this instant does not see the change."""
        self._owed = (self._kernel.now // self._period + 1) * self._period
        self._scan_at(self._owed)

    def _scan_at(self, time: int) -> None:
        if not self._skip:
            return
        if self._next is not None:
            if self._next.time <= time:
                return
            self._next.cancel()
        written = tuple(self.outputs.values())
        self._next = self._kernel.at(time, self._scan, Rank.DEVICE, self.name, writes=written)

    def _scan(self) -> None:
        self._next = None
        now, scan, image = self._kernel.now, self._pass, self._pass.image
        for index, signal in self._inputs:
            self._kernel.note_read(signal.name)
            image[index] = _read(_before(signal, now))
        scan.time, scan.due, scan.changed = now, FOREVER, False
        changed: list[tuple[Signal[Any], Value]] = []
        for index, run, signal in self._rules:
            value = run(scan)
            if value != image[index]:
                image[index] = value
                changed.append((signal, value))
        if changed or scan.changed or self._owed > now:
            self._scan_at(now + self._period)
        elif scan.due < FOREVER:
            self._scan_at(-(-scan.due // self._period) * self._period)
        for signal, value in changed:
            written = self._written(signal, value)
            if isinstance(signal, DeviceOutput):
                signal.publish(written, self.name)
            else:
                signal.set(written, self.name)

    def _written(self, signal: Signal[Any], value: Value) -> Value:
        if not isinstance(value, float):
            return value
        whole = signal.value_type is int
        if not abs(value) < (2.0**53 if whole else math.inf):
            what = "whole number" if whole else "number"
            raise KernelError(
                f"the rule of {self.name} for '{signal.name}' results in {value}, which is not a valid {what}",
                hint="check whether an output grows in every scan because its rule uses it",
            )
        return round(value) if whole else value


@contextmanager
def _placed(rule: str) -> Iterator[None]:
    """Report errors together with their rule."""
    try:
        yield
    except DrycellError as error:
        raise InvalidThing(Logic, [Problem(("rules", rule), error.what, error.hint)]) from error


def _before(signal: Signal[Any], now: int) -> Any:
    """The value of a signal just before an instant."""
    history = signal.history
    return history.values[max(history.count(now - 1) - 1, 0)]


def _read(value: Any) -> Value:
    """A value for calculations: integers become floats, which do not grow without limit."""
    return float(value) if value.__class__ is int else value
