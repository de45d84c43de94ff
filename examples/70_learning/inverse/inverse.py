"""A network for the inverse kinematics of arms with manufacturing errors (thesis, figure 7), and the nominal solution.

python examples/70_learning/inverse/inverse.py [poses]

Each arm is made once with errors of 0.5 mm and 0.1 deg (one standard deviation) in every link. The network learns from
poses measured to 0.05 mm. Both solutions are evaluated with the forward kinematics of the arm as made.

Try: fewer poses, coarser measurements, other tolerances.
"""

import sys

from drycell import mm
from drycell.learn import compare_inverse, learn_correction, manufactured, measured_poses
from drycell.robots import load_robot


def main(poses: int) -> None:
    for name in ("puma560", "ur5", "irb2000-like"):
        nominal = load_robot(name)
        made = manufactured(nominal, seed=1)
        measured = measured_poses(nominal, made, poses, seed=2, noise=0.05 * mm)
        comparison = compare_inverse(learn_correction(nominal, measured), made, 300, seed=3)
        print(f"{name}, taught by {poses} poses: {comparison}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
