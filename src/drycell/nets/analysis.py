"""The analysis of a plain net: states, bounds, deadlocks and liveness, for programs and as text."""

import math
import time
from dataclasses import dataclass

from drycell.nets.net import Marking, Net
from drycell.nets.state_graph import LEVELS, LIMIT, Level, Markings, UnboundedNet, explore, firings_text


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of :func:`analyse`."""

    net: Net
    states: int
    firings: int
    complete: bool
    """Whether every marking was explored."""
    bounds: dict[str, float]
    """The most tokens on each place; infinite where they grow without limit."""
    deadlocks: int
    deadlock: list[str] | None
    """The shortest sequence of firings that ends in a deadlock, if there is one."""
    stuck: Marking | None
    """The marking of the nearest deadlock."""
    liveness: dict[str, Level] | None
    reversible: bool | None
    growth: str = ""
    """How tokens grow without limit; empty if the explored part of the net is bounded."""
    limit: str = "the limit"
    """The limit that ended the search early."""

    @property
    def bounded(self) -> bool:
        """Whether no place grows without limit."""
        return not self.growth

    def text(self) -> str:
        """Return the analysis as text."""
        lines = [f"  states    {self._states()}"]
        if self.growth:
            lines.append(f"  unbounded {self.growth}")
        elif self.complete:
            most = max(self.bounds.values(), default=0)
            named = ", ".join(f"{name} {bound:.0f}" for name, bound in self.bounds.items() if bound > 1)
            lines.append(f"  bounds    {most:.0f}-bounded" + (f": {named}; all others at most 1" if named else ""))
        if self.deadlock is not None and self.stuck is not None:
            way = f"the nearest after {len(self.deadlock)} firings: {firings_text(self.deadlock)}"
            lines.append(f"  deadlocks {self.deadlocks}; {way}")
            lines.append(f"            with {self.net.text(self.stuck)}")
        elif not self.growth:
            lines.append("  deadlocks none" + ("" if self.complete else " among these"))
        if self.liveness is not None:
            lines += self._live()
        elif self.complete:
            lines.append(f"  liveness  not known: not computed within {self.limit}")
        if self.reversible is not None:
            lines.append(f"  home      {'' if self.reversible else 'not '}reachable from every state")
        return "\n".join(lines)

    def _states(self) -> str:
        if self.growth:
            return "infinitely many"
        seen = f"{self.states:,}, {self.firings:,} firings"
        return seen if self.complete else f"{seen}: stopped at {self.limit}; there are more"

    def _live(self) -> list[str]:
        assert self.liveness is not None
        groups: dict[Level, list[str]] = {}
        for name, level in self.liveness.items():
            groups.setdefault(level, []).append(name)
        if list(groups) == ["live"]:
            return ["  liveness  every transition is live"]
        return [
            f"  {'liveness' if first else '':<9} {level} ({LEVELS[level]}): {', '.join(groups[level])}"
            for first, level in (
                (not number, level) for number, level in enumerate(each for each in LEVELS if each in groups)
            )
        ]


def analyse(net: Net, limit: int = LIMIT, *, seconds: float = math.inf) -> Analysis:
    """Explore a plain net and summarise the results. For an unbounded net, report where and how it grows.

    Args:
        net: The net.
        limit: The number of states after which exploring ends; the result is then not ``complete``.
        seconds: The wall time after which exploring ends.
    """
    started = time.monotonic()
    try:
        graph = explore(net, limit, seconds=seconds)
    except UnboundedNet as error:
        endless = dict.fromkeys(error.places, math.inf)
        return Analysis(net, 0, 0, False, endless, 0, None, None, None, None, error.what)
    assert isinstance(graph.states, Markings)  # plain nets have markings of integers
    spent = time.monotonic() - started
    # Components and liveness take less than half the time of exploring, and cannot be interrupted.
    liveness = graph.complete and spent / 2 < max(seconds - spent, 0.5)
    return Analysis(
        net,
        states=len(graph),
        firings=len(graph.edges),
        complete=graph.complete,
        bounds=dict(zip(net.places, graph.states.bounds(), strict=True)),
        deadlocks=len(graph.dead),
        deadlock=graph.deadlock,
        stuck=graph.states[graph.dead[0]] if graph.dead else None,
        liveness=graph.liveness if liveness else None,
        reversible=graph.reversible if liveness else None,
        limit="the limit" if len(graph) >= limit else f"the time limit of {max(seconds, 0.0):.3g} s",
    )
