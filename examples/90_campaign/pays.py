"""Does the second gripper pay? Thirty hours with each program, with the same seeds, and the difference in pairs.

Run it again: nothing is run again. Delete the folder out/second_gripper to start anew.
Try: other times of the machine (vary={"machine.args.longest": [32, 60]}), or fewer seeds: how many are needed?
"""

import sys
from pathlib import Path

from drycell.campaign import Campaign

HERE = Path(__file__).parent


def main(out):
    campaign = Campaign(HERE, seeds=range(30), programs={"arm": ["one_gripper.py", "two_grippers.py"]})
    results = campaign.run(out)
    for variant in results.by_variant:
        print(f"{variant}: {results.mean('parts', variant)} parts in 1 h")
    gain = results.compare("two_grippers.py", "one_gripper.py")["parts"]
    print(f"the second gripper brings {gain} parts")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/second_gripper")
