"""A look as bytes: what the page reads, equal for equal looks in every process."""

import json
import math
import os
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from drycell.looks import Channel, FixedValue, Look, box, cylinder, look_bytes, look_key, packed_groups, panel, piece

CHANNELS = {
    "door": Channel("slide", FixedValue(), vector=(0.4, 0.0, 0.0)),
    "lamp": Channel("glow", FixedValue(), off="#102030", on="#ffffff"),
}
LOOK = Look(
    (
        piece(cylinder(0.004, 0.01), "steel", (0, 0, 0.1)),
        piece(box(0.3, 0.2, 0.1), "paint", tint="orange"),
        piece(box(0.1, 0.01, 0.1), "glass", (0, -0.1, 0), on="door"),
        piece(cylinder(0.02, 0.04), "lamp", (0, 0, 0.05), on="lamp"),
        piece(panel(0.2, 0.1, True), "screen", (0, -0.2, 0)),
    ),
    CHANNELS,
)


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def test_parts_of_one_channel_and_one_pattern_are_one_group() -> None:
    head, _ = unpacked(look_bytes(LOOK))
    found = [(group["channel"], group["finish"]) for group in head["groups"]]
    assert found == [(None, "plain"), ("door", "glass"), ("lamp", "lamp"), (None, "screen")]
    assert head["channels"]["door"] == {"kind": "slide", "vector": [0.4, 0.0, 0.0]}
    assert head["channels"]["lamp"] == {"kind": "glow", "off": "#102030", "on": "#ffffff"}


def test_arrays_are_where_the_header_says() -> None:
    head, blob = unpacked(look_bytes(LOOK))
    group = head["groups"][0]
    kinds = {"p": "<f4", "n": "i1", "c": "u1", "m": "u1", "f": "<u4", "e": "<f4", "ec": "u1"}
    arrays = {name: np.frombuffer(blob, kind, group[name][1], group[name][0]) for name, kind in kinds.items()}
    points = arrays["p"].reshape(-1, 3)
    assert np.abs(points[:24]).max(axis=0) == pytest.approx([0.15, 0.1, 0.05])  # the large box comes first
    assert arrays["f"].max() == len(points) - 1
    assert len(arrays["n"]) == len(arrays["c"]) == len(arrays["m"]) == 4 * len(points)
    assert arrays["c"][:4].tolist() == [0xE8, 0x6F, 0x22, 255]
    assert arrays["m"][:2].tolist() == [round(255 * 0.34), 0]
    assert len(arrays["ec"]) == 4 * len(arrays["e"]) // 3


def test_details_count_the_parts_of_at_least_a_size() -> None:
    group = packed_groups(LOOK)[0]
    box_only, everything = group.detail[0], group.detail[-1]
    assert box_only[0] == everything[0] == 3 * 44  # the pin has a radius of less than 8 mm
    assert everything[0] < group.arrays["f"].size


def test_normals_are_unit_vectors_within_their_eight_bits() -> None:
    for group in packed_groups(LOOK):
        lengths = np.linalg.norm(group.arrays["n"][:, :3].astype(float) / 127, axis=1)
        assert lengths == pytest.approx(1.0, abs=0.01)


def test_equal_looks_have_equal_bytes_in_another_process() -> None:
    code = "import sys; sys.path[:0] = sys.argv[1:]; from test_packing import LOOK, look_bytes, look_key;"
    code += "import hashlib; print(look_key(LOOK), hashlib.sha256(look_bytes(LOOK)).hexdigest())"
    outputs = set()
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code, os.path.dirname(__file__), *sys.path],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert look_key(LOOK) in outputs.pop()


def test_looks_that_differ_in_one_number_have_different_keys() -> None:
    other = Look((*LOOK.parts[:1], piece(box(0.3, 0.2, 0.1001), "paint", tint="orange"), *LOOK.parts[2:]), CHANNELS)
    assert look_key(other) != look_key(LOOK)
    slower = {**CHANNELS, "door": Channel("slide", FixedValue(), vector=(0.3, 0.0, 0.0))}
    assert look_key(Look(LOOK.parts, slower)) != look_key(LOOK)


def test_a_turn_moves_its_parts_about_its_pivot() -> None:
    turn = Channel("turn", FixedValue(), axis=(0.0, 0.0, 1.0), pivot=(1.0, 0.0, 0.0), scale=2 * math.pi)
    assert turn.pose(0.25).point((2.0, 0.0, 0.0)) == pytest.approx((1.0, 1.0, 0.0))
    assert CHANNELS["door"].pose(0.5).position == (0.2, 0.0, 0.0)
