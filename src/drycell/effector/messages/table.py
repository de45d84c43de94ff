"""The table: every device, command and reply that drycell's devices speak, with the meaning of each real. Data only."""

from typing import Final

from drycell.effector.messages.vocabulary import Command, DeviceTable, Real, Reply, Vocabulary

KINDS: Final = {0: "position", 1: "rate", 2: "ratchet", 3: "force"}
"""Kinds of moves."""
REASONS: Final = {
    1: "aborted",
    2: "not initialised",
    4: "blocked",
    5: "lost hold",
    6: "random failure",
    7: "quitting",
    8: "missed",
}
"""Why a command was not done. 3 is free: a move whose time is over is done, and ended by that."""

# End conditions of a move add up: 1 + 2 ends it at the gap or at the force, whichever comes first.
AT_GAP: Final = 1
AT_FORCE: Final = 2
AT_BEAM: Final = 4
AT_PROXIMITY: Final = 8
AT_TIME: Final = 16
_ENDS: Final = "the sum of 1 gap reached, 2 force reached, 4 beam broken, 8 something near, 16 time over"

_DEBUG: Final = {-1: "as it is", 0: "off", 1: "on"}
_SWITCH: Final = {0: "off", 1: "on"}
_SWITCHES: Final = (
    ("flags", "log of event flags"),
    ("messages", "log of messages"),
    ("control", "log of what the device does"),
    ("graphics", "log of what is drawn"),
)

_GAP: Final = Real("gap", "gap between the jaws", "m", 0, 1)
_FORCE: Final = Real("force", "force between the jaws", "N", 0, 1e4)
_POSITION_GAIN: Final = Real("position_gain", "acceleration for each metre of error", "1/s²", 0, 1e6)
_RATE_GAIN: Final = Real("rate_gain", "acceleration against each m/s of speed", "1/s", 0, 1e4)
_ELAPSED: Final = Real("elapsed", "time since it was begun", "s", 0, 1e9)
_WAITING: Final = Real("waiting", "commands that still wait in the queue", "", 0, 1e6, whole=True)

_DONE: Final = Reply(
    "DON",
    "done",
    "a queued command was done",
    (
        _GAP,
        _FORCE,
        Real("ended_by", f"what ended the move, {_ENDS}; 0 for other commands", "", 0, 31, whole=True),
        _ELAPSED,
        _WAITING,
    ),
)
_FAILED: Final = Reply(
    "FAI",
    "failed",
    "a command was not done",
    (
        Real("reason", "why", choices=REASONS),
        _GAP,
        _FORCE,
        _ELAPSED,
        _WAITING,
    ),
    failure=True,
)
_FAILED_SENSOR: Final = Reply(
    "FAI", "failed", "a command was not done", (Real("reason", "why", choices=REASONS),), failure=True
)
_QUIT: Final = Command("QUI", "quit", "ends the device; what is queued fails", replies=("QUI",))
_BYE: Final = Reply(
    "QUI", "bye", "the device ends", (Real("dropped", "queued commands that failed by it", "", 0, 1e6, whole=True),)
)
_DEBUG_COMMAND: Final = Command(
    "DBG",
    "debug",
    "switches each of four kinds of debugging output",
    tuple(Real(name, meaning, choices=_DEBUG) for name, meaning in _SWITCHES),
    replies=("DBG",),
)
_DEBUG_REPLY: Final = Reply(
    "DBG",
    "debugging",
    "the switches as they are now",
    tuple(Real(name, meaning, choices=_SWITCH) for name, meaning in _SWITCHES),
)

GRIPPER: Final = DeviceTable(
    "G",
    "gripper",
    "parallel-jaw end effector with proximity in each finger and a beam across the jaws",
    commands=(
        Command(
            "INI",
            "initialise",
            "opens the jaws to their stop and finds zero; needed before the first move",
            queued=True,
            replies=("DON", "FAI"),
        ),
        Command(
            "MOV",
            "move",
            "moves the jaws until an end condition holds",
            (
                Real("kind", "kind of move", choices=KINDS),
                Real("gap", "gap to go to", "m", 0, 1),
                Real(
                    "speed",
                    "greatest speed of the gap, 0 for the device's own; its sign is the way of a rate move and the "
                    "only way of a ratchet, 0 and negative close",
                    "m/s",
                    -1,
                    1,
                ),
                Real("ends", f"end conditions, {_ENDS}; 0 for what the kind has by itself", "", 0, 31, whole=True),
                Real("force", "greatest force, 0 for the device's own", "N", 0, 1e4),
                Real("time", "time after which it ends, 0 for none", "s", 0, 3600),
            ),
            queued=True,
            replies=("DON", "FAI"),
        ),
        Command("STA", "status", "asks for the state now", replies=("STA",)),
        Command(
            "GAI",
            "gains",
            "sets the gains of the servo from now on",
            (_POSITION_GAIN, _RATE_GAIN),
            replies=("GAI",),
        ),
        Command("ABT", "abort", "stops the jaws; what is under way or queued fails, each by itself", replies=("ABT",)),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        _DONE,
        _FAILED,
        Reply(
            "STA",
            "state",
            "the state at this instant",
            (
                _GAP,
                Real("target", "gap that is being gone to", "m", 0, 1),
                _POSITION_GAIN,
                _RATE_GAIN,
                Real(
                    "proximity",
                    "distances before the fingers in tenths of a mm, 1000 × left + right; 999 when nothing is near",
                    "",
                    0,
                    999_999,
                    whole=True,
                ),
                Real("crossfire", "beam across the jaws", choices={0: "clear", 1: "broken"}),
            ),
        ),
        Reply("GAI", "gains", "the gains as they are now", (_POSITION_GAIN, _RATE_GAIN)),
        Reply(
            "ABT",
            "aborted",
            "the jaws brake",
            (
                Real("gap", "gap at which the jaws come to stand", "m", 0, 1),
                Real("dropped", "commands that failed by it", "", 0, 1e6, whole=True),
            ),
        ),
        _DEBUG_REPLY,
        _BYE,
    ),
)

WRIST: Final = DeviceTable(
    "F",
    "wrist",
    "force/torque sensor between arm and tool",
    commands=(
        Command("STA", "status", "asks for force and torque now", replies=("STA", "FAI")),
        Command("TAR", "tare", "takes the load of now as zero", replies=("TAR", "FAI")),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        Reply(
            "STA",
            "load",
            "force and torque in the sensor's frame",
            (
                *(Real(f"force_{axis}", f"force along {axis}", "N", -1e5, 1e5) for axis in "xyz"),
                *(Real(f"torque_{axis}", f"torque about {axis}", "N·m", -1e4, 1e4) for axis in "xyz"),
            ),
        ),
        Reply("TAR", "tared", "zero was taken"),
        _FAILED_SENSOR,
        _DEBUG_REPLY,
        _BYE,
    ),
)

PAD: Final = DeviceTable(
    "T",
    "pad",
    "tactile pad on a finger: 6 × 6 cells",
    commands=(
        Command("STA", "status", "asks for what touches the pad now", replies=("STA", "FAI")),
        Command(
            "ROW",
            "row",
            "asks for the six cells of a row",
            (Real("row", "row, from 1 at the tip", "", 1, 6, whole=True),),
            replies=("ROW", "FAI"),
        ),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        Reply(
            "STA",
            "touch",
            "what touches the pad",
            (
                Real("cells", "cells that are touched", "", 0, 36, whole=True),
                Real("force", "force on the pad", "N", 0, 1e4),
                Real("centre_x", "centre of the touch across the pad, from its middle", "m", -1, 1),
                Real("centre_y", "centre of the touch along the pad, from its middle", "m", -1, 1),
                Real("peak", "greatest pressure on a cell", "Pa", 0, 1e9),
                Real("area", "area that is touched", "m²", 0, 1),
            ),
        ),
        Reply(
            "ROW",
            "cells",
            "pressure on the six cells of the row",
            tuple(Real(f"cell_{column}", f"pressure on cell {column}", "Pa", 0, 1e9) for column in range(1, 7)),
        ),
        _FAILED_SENSOR,
        _DEBUG_REPLY,
        _BYE,
    ),
)

PLANNER: Final = DeviceTable("P", "planner", "the controlling program", controls=True)

VOCABULARY: Final = Vocabulary([PLANNER, GRIPPER, WRIST, PAD])
"""What all devices of drycell speak."""
