"""Signals: traces and values, forcing, and faults.

Forcing a signal or putting a fault on it is external input: the journal reports it, and a recording repeats it. In a
run it is an event, so in a paused run it takes effect when the run continues or is stepped.
"""

import math
from typing import Any, Final, cast

from drycell.base import (
    MISSING,
    DrycellError,
    FieldError,
    KernelError,
    UnknownName,
    did_you_mean,
    fields_of,
    listed,
)
from drycell.cell import known_kinds
from drycell.kernel import Changes, Signal, clock_text
from drycell.record import Record
from drycell.sensors import TimedFault
from drycell.sensors.faults import KINDS, forced
from drycell.studio.api.events import InterventionDone, InterventionRefused
from drycell.studio.api.signals import (
    Intervention,
    SignalAt,
    SignalFault,
    SignalList,
    SignalRow,
    SignalsApi,
    SignalTraces,
    SignalValue,
)
from drycell.studio.host.error_report import error_report
from drycell.studio.host.session import HostSession
from drycell.studio.host.signal_trace import WIDEST, SignalTrace, edge, plain

WHO: Final = "studio"
"""The source of the input, in the journal and in recordings."""
_MOST_COLUMNS: Final = 40_000  # columns with changes in all signals together: as many as fit into a message
_COARSEST: Final = 100


class HostSignals(SignalsApi):
    """The signals of a session. Traces are kept, so that the next window is computed quickly."""

    def __init__(self, session: HostSession) -> None:
        self._session = session
        self._of: Record | None = None
        self._traces: dict[str, SignalTrace] = {}
        self._wanted: dict[
            str, SignalValue
        ] = {}  # requested values: in a paused run they take effect when it continues

    def _refresh(self) -> None:
        """Drop traces and requested values of a run that is no longer open."""
        if self._of is not self._session.record:
            self._of, self._traces, self._wanted = self._session.record, {}, {}

    # ---------------------------------------------------------------- reading

    async def overview(self) -> SignalList:
        self._refresh()
        session, sensors = self._session, self._session.sensors
        holding = {} if session.cell is None else forced(session.cell)
        faults: dict[str, list[SignalFault]] = {}
        for number, each in enumerate(() if session.cell is None else session.cell.faults):
            if not each.over and each not in holding.values():
                found = SignalFault(number, each.fault.kind, _fault_text(each.fault))
                for signal in each.signals:
                    faults.setdefault(signal.name, []).append(found)
        rows: list[SignalRow] = []
        for name, track in session.record.signals.items():
            held, wanted = holding.get(name), self._wanted.get(name)
            rows.append(
                SignalRow(
                    name=name,
                    type=track.type,
                    unit=track.unit,
                    group="internal" if track.quiet else "sensors" if name in sensors else self._group(name),
                    quiet=track.quiet,
                    changes=len(track) - 1,
                    forced=None if wanted is None else plain(wanted),
                    settled=wanted == (None if held is None else getattr(held.fault, "value", None)),
                    faults=tuple(faults.get(name, ())),
                    locked=self._locked(name),
                )
            )
        known = known_kinds() if session.cell is None else session.cell.kinds
        faulty = {**KINDS, **known.under(TimedFault)}  # built-in kinds first, the most common ones at the top
        kinds = {kind: tuple(each.name for each in listed(cls)) for kind, cls in faulty.items()}
        return SignalList(tuple(rows), kinds, session.numbering.scene)

    async def traces(self, names: tuple[str, ...], t0: int, t1: int, width: int) -> SignalTraces:
        self._refresh()
        width = min(width, WIDEST)
        while True:
            found = {name: self._trace(name).window(t0, t1, width) for name in names}
            if sum(len(trace.t) for trace in found.values()) <= _MOST_COLUMNS or width <= _COARSEST:
                return SignalTraces(found, t0, t1, width, self._session.now)
            width = max(width // 2, _COARSEST)

    async def values(self, names: tuple[str, ...], t: int) -> dict[str, SignalAt]:
        found: dict[str, SignalAt] = {}
        for name in names:
            changes = self._changes(name)
            row = changes.count(t) - 1
            if row < 0:
                found[name] = SignalAt(None, None, "")
            else:
                since, value, writer = changes[row]
                found[name] = SignalAt(plain(value), since, writer)
        return found

    async def next_edge(self, signal: str, t: int, forward: bool) -> int | None:
        found = edge(self._changes(signal), t, forward)
        return None if found is None or found > self._session.now else found

    def _trace(self, name: str) -> SignalTrace:
        if name not in self._traces:
            self._traces[name] = SignalTrace(self._changes(name))
        return self._traces[name]

    def _changes(self, name: str) -> Changes[Any]:
        signals = self._session.record.signals
        if name not in signals:
            raise UnknownName("signal", name, signals)
        return signals[name]

    def _group(self, name: str) -> str:
        cell = self._session.cell
        if cell is not None and name in cell.declared:
            return "cell"
        return name.rpartition(".")[0] or ("cell" if cell is None else "others")

    # ---------------------------------------------------------------- forcing and faults

    async def force(self, signal: str, value: SignalValue) -> Intervention:
        held = self._free(signal).accepted(value)
        if isinstance(held, float) and not math.isfinite(held):
            raise FieldError(f"signal '{signal}' cannot be forced to {held}", hint="enter a finite number")
        self._wanted[signal] = held
        return self._do("force", signal, value=held)

    async def release(self, signal: str) -> Intervention:
        self._free(signal)
        if self._wanted.get(signal) is None:
            raise KernelError(f"signal '{signal}' is not forced", hint="force it first")
        del self._wanted[signal]
        return self._do("release", signal)

    async def put_fault(self, signal: str, kind: str, fields: dict[str, SignalValue]) -> Intervention:
        fault = self._fault(kind, fields)
        fault.effect(self._free(signal))  # raises if the fault does not suit the signal
        now = self._session.require_cell().kernel.now
        for what, time in (("at", fault.at), ("until", fault.until)):
            if time is not None and time * 1e6 <= now and now:
                raise KernelError(
                    f"'{kind}' on '{signal}' has {what}={time:g} s, but the cell time is already {clock_text(now)} s",
                    hint=f"enter a later time, or omit '{what}'",
                )
        return self._do("fault", signal, kind=fault.kind, fields=_given(fault))

    async def clear_fault(self, signal: str, number: int | None = None) -> int:
        self._free(signal)
        cell = self._session.require_cell()
        held = forced(cell).values()
        found: dict[int, str] = {}
        for index, each in enumerate(cell.faults):
            concerned = signal in {one.name for one in each.signals} and number in (None, index)
            if concerned and not each.over and each not in held:
                found[index] = each.fault.kind
        if not found:
            raise KernelError(f"signal '{signal}' has no such fault", hint="it may have ended already")
        self._do("clear", signal, kinds=", ".join(found.values()), numbers=list(found))
        return len(found)

    def _fault(self, kind: str, given: dict[str, SignalValue]) -> TimedFault:
        known = self._session.require_cell().kinds.under(TimedFault)
        if kind not in known:
            raise UnknownName("fault", kind, known)
        fields = {each.name: each for each in fields_of(known[kind])}
        for name in given:
            if name not in fields:
                raise FieldError(f"a fault {kind!r} has no {name!r}", hint=did_you_mean(name, fields))
        for name, field in fields.items():
            if field.default is MISSING and name not in given:
                raise FieldError(f"a fault {kind!r} needs {name!r}", hint=field.doc)
        made: Any = known[kind](**given)
        return cast(TimedFault, made)

    def _locked(self, name: str) -> str | None:
        """Why a signal can be neither forced nor given a fault; None: it can."""
        session = self._session
        if session.cell is None:
            return "this is a recording" if session.mode == "recorded" else "no cell is open"
        if session.mode == "ended":
            return "the run has ended; restart the cell"
        if session.cell.kernel.signal_named(name).quiet:
            return "it is internal to drycell, not an input or output of the cell"
        return None

    def _free(self, name: str) -> Signal[Any]:
        self._refresh()
        signal = self._session.require_cell().kernel.signal_named(name)
        why = self._locked(name)
        if why is not None:
            raise KernelError(f"signal '{name}' cannot be forced or given a fault: {why}")
        return signal

    def _do(self, what: str, signal: str, **arguments: Any) -> Intervention:
        """Apply it at once before a run, or at the end of the instant in a run. A refusal does not end the run."""
        session, cell = self._session, self._session.require_cell()
        given = {"signal": signal, **arguments}
        if session.mode != "live":
            cell.request_before(what, given, who=WHO)
            return Intervention(signal)
        note = f"{what} {signal}"

        def done(refused: DrycellError | None) -> None:
            if refused is not None:
                session.push(InterventionRefused(note, error_report(refused)))
            session.push(InterventionDone(note))

        cell.request(what, given, who=WHO, done=done)
        return Intervention(signal, session.pace is not None and session.pace.position.state == "paused")


def _given(fault: TimedFault) -> dict[str, Any]:
    """The fields of a fault that were set, by name."""
    return {each.name: getattr(fault, each.name) for each in fields_of(type(fault)) if each.name in fault.given}


def _fault_text(fault: TimedFault) -> str:
    more = ", ".join(f"{name} {value}" for name, value in _given(fault).items())
    return fault.kind.replace("_", " ") + (f" ({more})" if more else "")
