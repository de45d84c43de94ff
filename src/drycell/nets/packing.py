"""Markings packed into whole numbers: a field for each place, so that all places are looked at in one subtraction."""

from collections.abc import Sequence

from drycell.nets.net import Marking, Net

Test = tuple[int, int, int | None]
"""Of a transition: what it takes, what it adds, and up to how many tokens there may be (None: any number)."""


class Packing:
    """Fields of 8, 16 or 32 bits, the highest bit of each kept free: it tells when a field borrows or overflows."""

    def __init__(self, net: Net, width: int) -> None:
        self.width = width
        self.places = len(net.places)
        self._shift = {name: width * number for number, name in enumerate(net.places)}
        self.most = (1 << (width - 1)) - 1
        self.guard = sum((self.most + 1) << shift for shift in self._shift.values())
        self.tests = [self._test(net, name) for name in net.transitions]

    def pack(self, marking: Sequence[int]) -> int:
        """The number that stands for a marking."""
        return sum(count << shift for count, shift in zip(marking, self._shift.values(), strict=True))

    def unpack(self, packed: int) -> Marking:
        """The marking that a number stands for."""
        return tuple((packed >> shift) & self.most for shift in self._shift.values())

    def _test(self, net: Net, name: str) -> Test:
        it = net.transitions[name]
        takes = sum(weight << self._shift[place] for place, weight in it.takes.items())
        gives = sum(weight << self._shift[place] for place, weight in it.gives.items())
        limits = {place: weight - 1 for place, weight in it.unless.items()}
        for place in it.gives:
            capacity = net.places[place].capacity
            if capacity is not None:
                limits[place] = min(limits.get(place, capacity), capacity - it.gain(place))
        if not limits:
            return takes, gives - takes, None
        if min(limits.values()) < 0:  # gives more than a place ever holds: no field has as much as this takes
            return self.guard, gives - takes, None
        most = sum(min(limits.get(place, self.most), self.most) << shift for place, shift in self._shift.items())
        return takes, gives - takes, most | self.guard


def widths(net: Net, marking: Marking) -> list[int]:
    """The widths of fields that hold a marking and all weights of a net, the narrowest first."""
    numbers = list(marking)
    for it in net.transitions.values():
        numbers += [*it.takes.values(), *it.gives.values(), *it.unless.values()]
    return [width for width in (8, 16, 32) if max(numbers, default=0) < 1 << (width - 1)]
