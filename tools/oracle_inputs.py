"""Inputs of the oracle: cells that are broken on purpose, and a cell file with sixty things to time the reader with.

Each broken input is a folder: file names with their texts. ``oracle.py`` writes the folder, runs the cell in it, and
records the error.
"""

from collections.abc import Iterator

Files = dict[str, str]

TABLE = "bodies:\n  table: {shape: {box: [1 m, 1 m, 40 mm]}}\n"
BLOCK = TABLE + "  block: {shape: {box: [40 mm, 40 mm, 30 mm]}, on: table}\n"
ARM = "robots:\n  arm: {model: scara}\n"
SCORBOT = "robots:\n  arm: {model: scorbot-er3, gripper: two-finger}\nsignals: {ready: false, lamp: false}\n"
BELT = "devices:\n  belt: {conveyor: {length: 1 m, width: 200 mm, speed: 150 mm/s}}\n"
WORK = "robots:\n  arm: {model: scara}\nsignals: {ready: false}\nprograms: {work: {file: work.py}}\n"
ROBOT_FILE = """\
robot: slide
source: made up
joints:
  x: {limits: [0 mm, 500 mm], speed: 500 mm/s, acceleration: 2 m/s^2, jerk: 20 m/s^3}
flange: {on: carriage}
links:
  carriage:
    moves: [{by: x, axis: x}]
    shapes: [{box: [100 mm, 100 mm, 50 mm]}]
"""
OWN_ROBOT = "robots:\n  slide: {file: slide.yaml}\n"
SENSOR_FILE = "sensor: eye\ntype: range\nvolume: {beam: {length: 500 mm, half_angle: 8 deg}}\nevery: 50 ms\n"
OWN_SENSOR = "sensors:\n  eye: {file: eye.yaml}\n"
PASCAL = "program Work;\nuses ScorPas;\nvar n: integer;\nbegin\n  n := 1;\n  Waitpos\nend.\n"
ON_SCORBOT = SCORBOT + "controllers:\n  scorbot: {robot: arm, inputs: {1: ready}, outputs: {1: lamp}}\n"
PYTHON_CELL = "from drycell import Body, Box\n\n\ndef build(cell):\n    cell.add('table', Body(Box(1, 1, 1)))\n"
ROBOT = "    from drycell import Robot\n    cell.add('arm', Robot('scra'))\n"


def _cell(text: str) -> Files:
    return {"cell.yaml": text}


def _program(body: str, signature: str = "cell, arm", cell: str = WORK) -> Files:
    return {"cell.yaml": cell, "work.py": f"from drycell import delay\n\n\ndef work({signature}):\n    {body}\n"}


BROKEN: dict[str, Files] = {
    # The text itself
    "no cell in the folder": {"notes.txt": "nothing here\n"},
    "empty file": _cell(""),
    "not a mapping": _cell("- table\n- block\n"),
    "bad YAML, bracket left open": _cell("bodies:\n  table: {shape: {box: [1 m, 1 m, 40 mm}}\n"),
    "bad YAML, tab as indentation": _cell("bodies:\n\ttable: {}\n"),
    "bad YAML, key twice": _cell(TABLE + "  table: {}\n"),
    "bad YAML, tag": _cell("name: !!python/object:os.system x\n"),
    # Fields
    "unknown section": _cell(TABLE.replace("bodies", "bodeis")),
    "unknown field of a body": _cell(BLOCK.replace("on: table", "onn: table")),
    "wrong unit": _cell(BLOCK.replace("[40 mm,", "[40 deg,")),
    "no unit": _cell(BLOCK.replace("[40 mm,", "[40,")),
    "unknown unit": _cell(BLOCK.replace("[40 mm,", "[40 mn,")),
    "negative size": _cell(BLOCK.replace("[40 mm,", "[-40 mm,")),
    "two numbers where three are needed": _cell(BLOCK.replace("[40 mm, 40 mm, 30 mm]", "[40 mm, 40 mm]")),
    "unknown shape": _cell(TABLE.replace("box", "bocks")),
    "two shapes at once": _cell("bodies:\n  a: {shape: {box: [1 m, 1 m, 1 m], sphere: {radius: 1 m}}}\n"),
    "text where a boolean is needed": _cell(BLOCK.replace("on: table", "on: table, part: perhaps")),
    "bad name": _cell("bodies:\n  9lives: {}\n"),
    "format of the future": _cell("format: 2\n" + TABLE),
    "two mistakes": _cell(BLOCK.replace("[40 mm,", "[40,").replace("on: table", "onn: table")),
    "mistakes in three sections": _cell(
        BLOCK.replace("[1 m,", "[1,") + "signals: {x: [1]}\nworkpoints:\n  here: {at: [1 s, 0]}\nrun: {until: soon}\n"
    ),
    "twelve mistakes": _cell("bodies:\n" + "".join(f"  b{n}: {{shape: {{box: [1, 1, 1]}}}}\n" for n in range(4))),
    # References
    "unknown carrier": _cell(BLOCK.replace("on: table", "on: tabel")),
    "unknown material": _cell(BLOCK.replace("on: table", "on: table, material: stele")),
    "on and parent together": _cell(BLOCK.replace("on: table", "on: table, parent: table")),
    "bodies in a cycle": _cell("bodies:\n  a: {parent: c}\n  b: {parent: a}\n  c: {parent: b}\n"),
    "workpoint on nothing": _cell(TABLE + "workpoints:\n  seat: {on: tabel}\n"),
    "mesh file missing": _cell("bodies:\n  a: {shape: {mesh: {file: a.stl, units: mm}}}\n"),
    "mesh file broken": {
        "cell.yaml": "bodies:\n  a: {shape: {mesh: {file: a.stl, units: mm}}}\n",
        "a.stl": "solid x\nfacet normal 0\n",
    },
    "pair of a check unknown": _cell(BLOCK + "checks:\n  collision: {pairs: [[table, bloc]]}\n"),
    "check with pairs and exceptions": _cell(
        BLOCK + "checks:\n  collision: {pairs: [[table, block]], everything_but: [table]}\n"
    ),
    # Robots
    "unknown robot": _cell("robots:\n  arm: {model: scra}\n"),
    "robot without a model": _cell("robots:\n  arm: {at: [0, 0]}\n"),
    "robot on an unknown body": _cell("robots:\n  arm: {model: scara, on: pedestal}\n"),
    "joint past its limit": _cell("robots:\n  arm: {model: scara, joints: [0, 200 deg, 0, 0]}\n"),
    "too few joints": _cell("robots:\n  arm: {model: scara, joints: [0, 0]}\n"),
    "unknown gripper": _cell("robots:\n  arm: {model: scara, gripper: three-finger}\n"),
    "unknown controller model": _cell("robots:\n  arm: {model: scara, controller: independant}\n"),
    "robot file missing": _cell(OWN_ROBOT),
    "robot file, unknown field": {"cell.yaml": OWN_ROBOT, "slide.yaml": ROBOT_FILE.replace("speed", "sped")},
    "robot file, unknown joint": {"cell.yaml": OWN_ROBOT, "slide.yaml": ROBOT_FILE.replace("by: x", "by: y")},
    "robot file, unknown link": {"cell.yaml": OWN_ROBOT, "slide.yaml": ROBOT_FILE.replace("on: carr", "on: karr")},
    "robot file, wrong unit": {"cell.yaml": OWN_ROBOT, "slide.yaml": ROBOT_FILE.replace("500 mm/s", "500 mm")},
    # Sensors
    "unknown sensor": _cell("sensors:\n  eye: {model: vl53}\n"),
    "sensor of no type": _cell("sensors:\n  eye: {every: 10 ms}\n"),
    "sensor on an unknown body": _cell("sensors:\n  eye: {model: vl53l0x, on: tabel}\n"),
    "sensor, unknown field": _cell("sensors:\n  eye: {model: vl53l0x, evry: 10 ms}\n"),
    "sensor ignores an unknown body": _cell(TABLE + "sensors:\n  eye: {model: vl53l0x, ignore: [bloc]}\n"),
    "sensor named like a signal": _cell("signals: {eye: false}\nsensors:\n  eye: {model: vl53l0x}\n"),
    "sensor file missing": _cell(OWN_SENSOR),
    "sensor file, unknown field": {"cell.yaml": OWN_SENSOR, "eye.yaml": SENSOR_FILE.replace("volume", "volum")},
    "sensor file, wrong unit": {"cell.yaml": OWN_SENSOR, "eye.yaml": SENSOR_FILE.replace("8 deg", "8 mm")},
    "sensor file, unknown type": {"cell.yaml": OWN_SENSOR, "eye.yaml": SENSOR_FILE.replace("range", "rang")},
    # Devices
    "device of no kind": _cell("devices:\n  belt: {at: [0, 0]}\n"),
    "device of two kinds": _cell(BELT.replace("}}", "}, machine: {duration: 1 s}}")),
    "device, field missing": _cell(BELT.replace(", speed: 150 mm/s", "")),
    "device, unknown field": _cell(BELT.replace("speed", "sped")),
    "device, wrong unit": _cell(BELT.replace("150 mm/s", "150 mm")),
    "device on an unknown body": _cell(BELT.replace("}}", "}, on: stand}")),
    "stop past the belt's end": _cell(BELT.replace("150 mm/s", "150 mm/s, stops: {pick: {at: 2 m}}")),
    "source on nothing": _cell(
        "devices:\n  feed: {source: {kinds: {a: {shape: {sphere: {radius: 9 mm}}}}, every: 5 s}}\n"
    ),
    "source, normal law without sigma": _cell(
        BELT + "  feed: {source: {kinds: {a: {shape: {sphere: {radius: 9 mm}}}}, every: 5 s, law: normal}, on: belt}\n"
    ),
    "machine, interval the wrong way round": _cell("devices:\n  mill: {machine: {duration: [9 s, 5 s]}}\n"),
    "machine, repair without breaks": _cell("devices:\n  mill: {machine: {duration: 9 s, repair: 5 s}}\n"),
    "pad of an unknown effector": _cell("devices:\n  pad: {pad: {of: gripper}}\n"),
    "logic, syntax": _cell(BELT + '  plc: {logic: {rules: {belt.run: "not (belt.running"}}}\n'),
    "logic, unknown signal": _cell(BELT + "  plc: {logic: {rules: {belt.run: not mill.broken}}}\n"),
    "logic, unknown function": _cell(BELT + '  plc: {logic: {rules: {belt.run: "tonn(belt.running, 1 s)"}}}\n'),
    # Faults, tolerances, controllers
    "fault of an unknown signal": _cell("faults:\n  eye: [stuck_on]\n"),
    "fault of an unknown kind": _cell("signals: {eye: false}\nfaults:\n  eye: [stuck_onn]\n"),
    "fault, unknown field": _cell("signals: {eye: false}\nfaults:\n  eye: [{stuck_on: {att: 1 s}}]\n"),
    "fault of the wrong type of signal": _cell("signals: {eye: false}\nfaults:\n  eye: [{drift: 0.1}]\n"),
    "fault ends before it begins": _cell(
        "signals: {eye: false}\nfaults:\n  eye: [{stuck_on: {at: 9 s, until: 5 s}}]\n"
    ),
    "tolerance of an unknown body": _cell(TABLE + "tolerances:\n  tabel: {size: 1 mm}\n"),
    "tolerance, wrong unit": _cell(TABLE + "tolerances:\n  table: {size: 1 deg}\n"),
    "tolerance, unknown law": _cell(TABLE + "tolerances:\n  table: {size: 1 mm, law: cauchy}\n"),
    "controller of an unknown robot": _cell("controllers:\n  c: {robot: arm}\n"),
    "controller, unknown signal": _cell(ON_SCORBOT.replace("1: ready", "1: redy")),
    "controller, line 0": _cell(ON_SCORBOT.replace("1: ready", "0: ready")),
    "two outputs drive one signal": _cell(ON_SCORBOT.replace("{1: lamp}", "{1: lamp, 2: lamp}")),
    # Programs
    "program file missing": _cell(ARM + "programs: {work: {file: work.py}}\n"),
    "program in an unknown language": {"cell.yaml": WORK.replace("work.py", "work.bas"), "work.bas": "10 END\n"},
    "program without its function": {"cell.yaml": WORK, "work.py": "def wrok(arm):\n    pass\n"},
    "program, syntax": {"cell.yaml": WORK, "work.py": "def work(arm):\n    arm.move(\n"},
    "program asks for an unknown thing": _program("pass", "robot1"),
    "program on an unknown controller": _program("pass", cell=WORK.replace("work.py", "work.py, controller: plc")),
    "program, unknown signal": _program("cell.kernel.signal_named('redy')"),
    "program, joint past its limit": _program("arm.move([0, 3, 0, 0])"),
    "program, Python error after 2 s": _program("delay(2)\n    1 / 0"),
    "Pascal, syntax": {
        "cell.yaml": ON_SCORBOT + "programs: {work: {file: work.pas}}\n",
        "work.pas": PASCAL.replace(":= 1", ":="),
    },
    "Pascal, two mistakes": {
        "cell.yaml": ON_SCORBOT + "programs: {work: {file: work.pas}}\n",
        "work.pas": PASCAL.replace("n := 1", "m := 'x'").replace("Waitpos", "Waitpoz"),
    },
    "Pascal, division by zero": {
        "cell.yaml": ON_SCORBOT + "programs: {work: {file: work.pas}}\n",
        "work.pas": PASCAL.replace("n := 1", "n := 0; n := 1 div n"),
    },
    "ARLA, unknown instruction": {
        "cell.yaml": "robots:\n  arm: {model: irb2000-like}\ncontrollers:\n  s3: {robot: arm}\n"
        "programs: {work: {file: work.arl}}\n",
        "work.arl": "PROGRAM 1\n10 LET R3 = 17\n20 GRIPER OPEN\n",
    },
    # Cells in Python
    "Python cell without build": {"cell.py": "def built(cell):\n    pass\n"},
    "Python cell, syntax": {"cell.py": "def build(cell)\n    pass\n"},
    "Python cell, unknown material": {"cell.py": PYTHON_CELL.replace("1, 1, 1)", "1, 1, 1), material='stel'")},
    "Python cell, name twice": {"cell.py": PYTHON_CELL + "    cell.add('table', Body(Box(2, 2, 2)))\n"},
    "Python cell, verb outside a program": {"cell.py": PYTHON_CELL + "    from drycell import delay\n    delay(1)\n"},
    "Python cell, unknown robot": {
        "cell.py": PYTHON_CELL + "    from drycell import Robot\n    cell.add('arm', Robot('scra'))\n"
    },
}
"""Each is a cell that cannot be built or run."""


def sixty_things() -> str:
    """A cell file with sixty things of ten sorts, always the same."""
    return "\n".join(_sixty()) + "\n"


def _sixty() -> Iterator[str]:
    yield "format: 1\nname: sixty things\nbodies:"
    for n in range(20):
        if n % 5 == 0:
            yield f"  table{n}: {{shape: {{box: [800 mm, 600 mm, 20 mm]}}, material: steel, at: [{n} m, 0, -10 mm]}}"
        elif n % 5 == 1:
            yield (
                f"  peg{n}:\n    shape: {{cylinder: {{radius: {n} mm, length: 40 mm}}}}\n    material: steel\n"
                f"    on: table{n - 1}\n    at: [{10 * n} mm, -100 mm]\n    rpy: [0 deg, 0 deg, {n} deg]"
            )
        else:
            table = f"table{n - n % 5}"
            yield f"  block{n}: {{shape: {{box: [40 mm, {n + 10} mm, 30 mm]}}, on: {table}, at: [{5 * n} mm, 0]}}"
    yield "workpoints:"
    for n in range(8):
        yield f"  seat{n}: {{on: table{n % 4 * 5}, at: [{20 * n} mm, 50 mm, 10 mm], rpy: [180 deg, 0, 0]}}"
    yield "robots:"
    for n, model in enumerate(("ur5-like", "scara")):
        yield f"  arm{n}: {{model: {model}, gripper: two-finger, on: table{n * 5}, tool: {{at: [0, 0, 120 mm]}}}}"
    yield "signals: {" + ", ".join(f"lamp{n}: {'false' if n % 2 else n}" for n in range(6)) + "}"
    yield "sensors:"
    for n in range(8):
        yield (
            f"  eye{n}:\n    model: e3jk-diffuse\n    volume: {{cylinder: {{radius: 2 mm, length: {60 + n} mm}}}}\n"
            f"    output: {{kind: boolean}}\n    every: {10 * n + 20} ms\n    on: belt{n % 4}\n"
            f"    at: [{10 * n} mm, -50 mm, 50 mm]\n    rpy: [-90 deg, 0 deg, 0 deg]"
        )
    yield "devices:"
    for n in range(4):
        yield (
            f"  belt{n}:\n    conveyor: {{length: 2 m, width: 200 mm, speed: {100 + n} mm/s, "
            f"stops: {{pick: {{at: 900 mm}}}}}}\n    at: [0, {n + 2} m, 500 mm]"
        )
        yield (
            f"  feed{n}:\n    source:\n      kinds:\n"
            "        plate: {shape: {box: [60 mm, 40 mm, 20 mm]}, weight: 3}\n"
            "        ball: {shape: {sphere: {radius: 15 mm}}, material: steel}\n"
            f"      every: [20 s, {30 + n} s]\n    on: belt{n}"
        )
        yield f"  mill{n}: {{machine: {{duration: [{20 + n} s, 60 s], door: true}}, at: [{n} m, -2 m]}}"
    for n in range(2):
        yield f"  scrap{n}: {{sink: {{shape: {{box: [300 mm, 300 mm, 10 mm]}}}}, at: [-1 m, {n} m]}}"
        yield f'  plc{n}: {{logic: {{scan: 20 ms, rules: {{belt{n}.run: "not tof(eye{n}, 500 ms)"}}}}}}'
