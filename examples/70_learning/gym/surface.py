"""An arm learns to coat varying parts (thesis, figure 52), with a standard learner for any Gymnasium environment.

python examples/70_learning/gym/surface.py [generations]          about half a minute for 25

It is compared with a program without sensors (at constant height, with the gun fully open) and with a hand-written rule
of three lines (at the standoff from the nearest part, open while any sensor sees a part). The rule covers a little
more and uses half as much coating again.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from drycell.learn.gym import CrossEntropy, SurfaceTreatment

JUDGED = range(9000, 9020)  # seeds of rows of parts that no training has seen


def blind(observed: Any) -> Any:
    """Moves the gun to 300 mm above the nominal parts, and leaves it open."""
    return np.array([(0.5 - observed[6]) * 5.0, 1.0], dtype=np.float32)


def by_hand(observed: Any) -> Any:
    """Keeps the standoff from the nearest surface that the three sensors see, and opens the gun while they see one."""
    seen = [observed[2 * k + 1] for k in range(3) if observed[2 * k] > 0.0]
    climb = -min(seen) * 200.0 / 30.0 if seen else 0.0  # observed is in 200 mm, chosen in 30 mm
    return np.array([np.clip(climb, -1.0, 1.0), 1.0 if seen else -1.0], dtype=np.float32)


def judge(name: str, policy: Callable[[Any], Any]) -> None:
    env, covered, used, whole = SurfaceTreatment(), [], [], 0
    for seed in JUDGED:
        observed, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            observed, _, ended, _, _ = env.step(policy(observed))
        done = env.treatment
        covered.append(done.covered)
        used.append(done.used / done.needed)
        whole += env.x >= env.hanger.row
    print(
        f"{name:<9} {np.mean(covered):6.1%} covered (worst {min(covered):.1%}), {np.mean(used):.2f} × the coating "
        f"needed, {whole} of {len(JUDGED)} passes to the end"
    )


def main(generations: int) -> None:
    judge("blind", blind)
    judge("by hand", by_hand)
    learner = CrossEntropy(SurfaceTreatment, 0, population=32, elite=6, episodes=3)
    for generation in learner.learn(generations):
        print(f"generation {generation.number:>2}: mean return {generation.mean:6.2f}, best {generation.elite:6.2f}")
    judge("trained", learner.policy)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
