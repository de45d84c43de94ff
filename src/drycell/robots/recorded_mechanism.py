"""Mechanisms in recordings: enough data to compute link poses from joints, bit for bit.

Shapes are not included: in a recording they belong to the link bodies. Inertia and the data that only programs need are
not included either.
"""

from drycell.recording import DocumentNode, Json, json_number, json_numbers
from drycell.robots.links import BASE, Drive, Joint, JointKind, Link, Mark
from drycell.robots.mechanism import Mechanism

_MOST = 1 << 20  # joints and links: a bound far above any mechanism, which rejects wrong numbers early


def mechanism_data(mechanism: Mechanism) -> Json:
    """A mechanism as plain data."""
    return {
        "name": mechanism.name,
        "joints": [_joint_data(joint) for joint in mechanism.joints],
        "links": [_link_data(link) for link in mechanism.links],
        "flange": _mark_data(mechanism.flange),
        "frames": {name: _mark_data(mark) for name, mark in mechanism.frames},
        "home": json_numbers(mechanism.home),
    }


def mechanism_from(node: DocumentNode) -> Mechanism:
    """Read a mechanism from a recording. Invalid data is rejected as in a robot file."""
    joints = tuple(_joint_from(each) for each in node["joints"])
    return Mechanism(
        name=node["name"].text,
        joints=joints,
        links=tuple(_link_from(each) for each in node["links"]),
        flange=_mark_from(node["flange"]),
        home=tuple(node["home"].numbers(len(joints))),
        frames=tuple((name, _mark_from(mark)) for name, mark in node["frames"].items()),
    )


def _joint_data(joint: Joint) -> Json:
    return {
        "name": joint.name,
        "kind": joint.kind,
        "lower": json_number(joint.lower),
        "upper": json_number(joint.upper),
        "speed": json_number(joint.speed),
        "acceleration": json_number(joint.acceleration),
        "jerk": json_number(joint.jerk),
    }


def _joint_from(node: DocumentNode) -> Joint:
    lower, upper, speed, acceleration, jerk = (
        node[key].number for key in ("lower", "upper", "speed", "acceleration", "jerk")
    )
    return Joint(node["name"].text, _kind(node["kind"]), lower, upper, speed, acceleration, jerk)


def _link_data(link: Link) -> Json:
    return {
        "name": link.name,
        "parent": link.parent,
        "origin": json_numbers(link.origin.rows),
        "drives": [
            {
                "joint": drive.joint,
                "kind": drive.kind,
                "axis": json_numbers(drive.axis),
                "ratio": json_number(drive.ratio),
                "offset": json_number(drive.offset),
            }
            for drive in link.drives
        ],
    }


def _link_from(node: DocumentNode) -> Link:
    drives = tuple(
        Drive(
            each["joint"].integer(0, _MOST),
            _kind(each["kind"]),
            each["axis"].vector,
            each["ratio"].number,
            each["offset"].number,
        )
        for each in node["drives"]
    )
    return Link(node["name"].text, node["parent"].integer(BASE, _MOST), node["origin"].pose, drives)


def _mark_data(mark: Mark) -> Json:
    return {"link": mark.link, "pose": json_numbers(mark.pose.rows)}


def _mark_from(node: DocumentNode) -> Mark:
    return Mark(node["link"].integer(BASE, _MOST), node["pose"].pose)


def _kind(node: DocumentNode) -> JointKind:
    if node.text == "revolute":
        return "revolute"
    if node.text == "prismatic":
        return "prismatic"
    raise node.wrong("'revolute' or 'prismatic'")
