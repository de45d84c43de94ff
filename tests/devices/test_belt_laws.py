"""Parts on a belt are always where a simulation in small steps puts them, in order and without overlap."""

from dataclasses import dataclass, field

from hypothesis import given, settings, strategies as st

from drycell.base import mm
from drycell.devices import Stop
from drycell.world import LiveBody

STEP = 5_000  # ticks
LENGTH, GATE = 1.0, 0.6
CLOSE = 1e-6


@dataclass
class Block:
    """A part in the stepped simulation: the position of its front, and the strip it occupies."""

    name: str
    front: float
    length: float
    y: float
    width: float

    def meets(self, other: "Block") -> bool:
        return abs(self.y - other.y) < (self.width + other.width) / 2 - 1e-9


@dataclass
class Stepped:
    """The belt simulated in small steps: every part advances with the belt, but not into the part ahead."""

    acceleration: float
    wanted: float
    speed: float
    running: bool = True
    gate_open: bool = False
    blocks: list[Block] = field(default_factory=list)

    def step(self, seconds: float) -> None:
        target = self.wanted if self.running else 0.0
        change = self.acceleration * seconds if self.acceleration else 1e9
        before = self.speed if self.acceleration else target
        self.speed = min(before + change, target) if target > before else max(before - change, target)
        way = 0.5 * (before + self.speed) * seconds
        self.blocks = self.ordered()
        for number, block in enumerate(self.blocks):
            reach = min(
                (other.front - other.length for other in self.blocks[:number] if block.meets(other)), default=9.9
            )
            ends = [LENGTH] if self.gate_open else [LENGTH, GATE]
            reach = min(reach, *(end for end in ends if end >= block.front - 1e-9))
            block.front = max(block.front, min(block.front + way, reach))

    def ordered(self) -> list[Block]:
        return sorted(self.blocks, key=lambda block: block.length / 2 - block.front)

    def has_room(self, new: Block) -> bool:
        return not any(
            new.meets(other) and new.front > other.front - other.length and other.front > new.front - new.length
            for other in self.blocks
        )


ACTIONS = st.one_of(
    st.tuples(
        st.just("put"),
        st.integers(100, 1000),
        st.integers(20, 120),
        st.sampled_from([-60, 0, 60]),
        st.sampled_from([30, 60, 130]),
    ),
    st.tuples(st.just("put"), st.just(120), st.integers(20, 100), st.just(0), st.just(60)),
    st.tuples(st.just("take"), st.integers(0, 30)),
    st.tuples(st.just("run"), st.booleans()),
    st.tuples(st.just("speed"), st.sampled_from([0, 50, 100, 250])),
    st.tuples(st.just("gate"), st.booleans()),
)
STORIES = st.lists(st.tuples(st.integers(0, 400), ACTIONS), min_size=1, max_size=25)


@settings(max_examples=150, deadline=None)
@given(story=STORIES, acceleration=st.sampled_from([0.0, 0.0, 1.0]), odd=st.integers(0, STEP - 1))
def test_a_belt_agrees_with_a_stepped_simulation(belt_bench, story, acceleration: float, odd: int) -> None:
    bench = belt_bench(speed=100 * mm, acceleration=acceleration, stops={"gate": Stop(GATE)})
    model = Stepped(acceleration, 0.1, 0.1)
    bodies: dict[str, LiveBody] = {}

    def compare() -> None:
        for block in model.blocks:
            assert abs(bodies[block.name].pose.x + block.length / 2 - block.front) < CLOSE, block.name
        lasting = [bodies[block.name] for block in model.blocks]
        assert set(bench.belt.parts) == set(lasting)
        blocks = model.ordered()
        for number, ahead in enumerate(blocks):
            for behind in blocks[number + 1 :]:
                if ahead.meets(behind):
                    gap = bodies[ahead.name].pose.x - bodies[behind.name].pose.x - (ahead.length + behind.length) / 2
                    assert gap > -1e-9
                    assert bench.belt.parts.index(bodies[ahead.name]) < bench.belt.parts.index(bodies[behind.name])

    def act(number: int, action) -> None:
        kind, *what = action
        if kind == "put":
            front, length, y, width = (value * mm for value in what)
            block = Block(f"part{number}", front, length, y, width)
            if model.has_room(block):
                model.blocks.append(block)
                bodies[block.name] = bench.put(block.name, front, length, y, width)
        elif kind == "take" and model.blocks:
            block = model.blocks.pop(what[0] % len(model.blocks))
            bench.world.remove(bodies[block.name])
        elif kind == "run":
            model.running = what[0]
            bench.belt.run.set(what[0])
        elif kind == "speed":
            model.wanted = what[0] * mm
            bench.belt.speed.set(what[0] * mm)
        elif kind == "gate":
            model.gate_open = what[0]
            bench.belt.gates["gate"].open.set(what[0])

    steps = 0

    def advance(to: int) -> None:
        nonlocal steps
        while steps < to:
            model.step(STEP * 1e-6)
            steps += 1

    def at(step: int, number: int, action) -> None:
        def happen() -> None:
            advance(step)
            compare()
            act(number, action)

        bench.at(step * STEP * 1e-6, happen)

    # Also between the steps: no overlaps, and nothing moves while the belt is stopped.
    seen: dict[str, tuple[float, bool]] = {}

    def glance() -> None:
        parts = bench.belt.parts
        for number, ahead in enumerate(parts):
            for behind in parts[number + 1 :]:
                (ax, ay, _), (bx, by, _) = (
                    (each.shape.x, each.shape.y, 0)
                    for each in (ahead, behind)  # type: ignore[union-attr]
                )
                if abs(ahead.pose.y - behind.pose.y) < (ay + by) / 2 - 1e-9:
                    assert ahead.pose.x - behind.pose.x - (ax + bx) / 2 > -1e-9
        for part in parts:
            x, still = seen.get(part.name, (part.pose.x, False))
            assert part.pose.x >= x - 1e-12
            if still and not bench.belt.running.value and bench.belt.running.history[-1][0] <= last_glance:
                assert part.pose.x == x
            seen[part.name] = (part.pose.x, not bench.belt.running.value)

    last_glance = 0

    def looked() -> None:
        nonlocal last_glance
        glance()
        last_glance = bench.kernel.now

    when = 0
    for number, (wait, action) in enumerate(story):
        when += wait
        at(when, number, action)
        bench.at(when * STEP * 1e-6 + odd * 1e-6, looked)
    end = when + 3000
    for step in (when + 50, when + 700, end):
        at(step, 0, ("look",))
    bench.run(end * STEP * 1e-6)
