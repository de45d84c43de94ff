"""For any commands at any time, every command is answered once, and the jaw stays within its stroke and strength."""

from random import Random

import pytest

from drycell.base import mm
from drycell.effector.messages.vocabulary import AT_BEAM, AT_GAP, AT_PROXIMITY
from drycell.kernel import delay

KINDS = ("position", "rate", "ratchet", "force")


def command(bench, random: Random, number: int) -> None:
    """One command of any kind, most of them moves."""
    letters = random.choice(["MOV"] * 8 + ["INI", "STA", "STA", "ABT", "GAI", "DBG"])
    if letters == "MOV":
        ends = random.choice([0, 0, 0, AT_GAP | AT_BEAM, AT_GAP | AT_PROXIMITY])
        kind = random.choice(KINDS)
        bench.move(
            kind,
            number,
            gap=random.choice([0.0, random.uniform(0, 65 * mm), 65 * mm]),
            speed=random.choice([0.0, random.choice([-1, 1]) * random.uniform(0.005, 0.1)]),
            ends=0 if kind == "rate" else ends,
            force=random.choice([0.0, random.uniform(1, 80)]),
            time=random.choice([0.0, 0.0, 0.0, random.uniform(0.001, 1)]),
        )
    elif letters == "GAI":
        gain = random.uniform(20, 3000)
        bench.send("GAI", number, position_gain=gain, rate_gain=random.uniform(0.3, 4) * gain**0.5)
    else:
        bench.send(letters, number, **({"control": -1.0} if letters == "DBG" else {}))


@pytest.mark.parametrize("seed", [0, 1, 2, 23, 27, 58])
def test_every_command_is_answered_once_and_limits_hold(effector_bench, seed: int) -> None:
    bench = effector_bench()
    bench.part(24 * mm, x=6 * mm)
    random = Random(seed)
    jaw = bench.effector.jaw
    answered: list[int] = []

    def planner() -> None:
        bench.initialise()
        for number in range(120):
            command(bench, random, number)
            delay(random.choice([1e-6, 0.003, 0.05, 0.3]))
            assert -1e-6 <= jaw.gap <= 65 * mm + 1e-6
            assert 0.0 <= jaw.force <= jaw.strength * (1 + 1e-9)
            while (reply := bench.receive(0.0)) is not None:
                answered.append(reply["sequence"])
        while len(answered) < 120:
            reply = bench.receive(100.0)
            assert reply is not None
            answered.append(reply["sequence"])
        delay(10)
        assert bench.receive(0.0) is None

    assert bench.run(planner).ending == "finished"
    assert sorted(answered) == list(range(120))
