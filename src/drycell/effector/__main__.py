"""``python -m drycell.effector gripper``: run a device as a process, as ``drycell device`` does."""

import argparse
import sys

from drycell.base import DrycellError, plain_output
from drycell.effector.link import add_arguments, serve_device


def main() -> int:
    """Run the device that the arguments name; returns the exit code."""
    plain_output()
    parser = argparse.ArgumentParser(prog="python -m drycell.effector")
    add_arguments(parser)
    try:
        return serve_device(parser.parse_args())
    except DrycellError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
