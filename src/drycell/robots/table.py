"""What ``print(mechanism)`` shows: a table of joints and links that a person can check against a data sheet."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drycell.base import deg, mm

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


def table(mechanism: "Mechanism") -> str:
    """Joints with limits and speeds, then links with parent and frame at joint zero, in degrees and millimetres."""
    joints = [("joint", "kind", "limits", "home", "speed", "acceleration")]
    for joint, home in zip(mechanism.joints, mechanism.home, strict=True):
        scale = deg if joint.revolute else mm
        joints.append(
            (
                joint.name,
                joint.kind,
                joint.range,
                joint.show(home),
                f"{joint.speed / scale:.1f} {joint.unit}/s",
                f"{joint.acceleration / scale:.0f} {joint.unit}/s²",
            )
        )
    links = [("link", "on", "moved by", "at, mm", "turned rpy, deg")]
    for link in mechanism.links:
        links.append(
            (
                link.name,
                "base" if link.parent < 0 else mechanism.links[link.parent].name,
                ", ".join(mechanism.joints[drive.joint].name for drive in link.drives) or "–",
                ", ".join(f"{_zero(v / mm):.1f}" for v in link.origin.position),
                ", ".join(f"{_zero(v / deg):.1f}" for v in link.origin.rpy),
            )
        )
    flange = "base" if mechanism.flange.link < 0 else mechanism.links[mechanism.flange.link].name
    x, y, z = (_zero(v / mm) for v in mechanism.flange.pose.position)
    lines = [f"{mechanism.name}: {mechanism.dof} joints, {len(mechanism.links)} links", "", *_aligned(joints), ""]
    lines += [*_aligned(links), "", f"flange on {flange} at {x:.1f}, {y:.1f}, {z:.1f} mm"]
    if mechanism.frames:
        lines.append("frames " + ", ".join(name for name, _ in mechanism.frames))
    if mechanism.questions:
        lines.append("configurations " + ", ".join(f"{k}={a}|{b}" for k, (a, b) in mechanism.questions))
    if mechanism.source:
        lines.append(f"source {' '.join(mechanism.source.split())}")
    return "\n".join(lines)


def _zero(value: float) -> float:
    """The value without the minus sign of a rounded-away zero."""
    return 0.0 if abs(value) < 0.05 else value


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
