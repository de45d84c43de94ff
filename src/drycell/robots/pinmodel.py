"""A mechanism in pinocchio: quick forward kinematics and Jacobians of the flange, for solving, never for publishing."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.robots.kinematics import chain_to

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


class PinModel:
    """The way from base to flange as a pinocchio model with one joint a drive."""

    def __init__(self, mechanism: "Mechanism") -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        gears: list[tuple[int, float]] = []
        parent, between = 0, IDENTITY
        for index in chain_to(mechanism.links, mechanism.flange.link):
            link = mechanism.links[index]
            between = between @ link.origin
            for number, drive in enumerate(link.drives):
                axis = np.array(drive.axis)
                between = between @ replace(drive, ratio=0.0).pose(
                    0.0
                )  # what it adds to the joint's value, once for all
                kind = pin.JointModelRevoluteUnaligned if drive.kind == "revolute" else pin.JointModelPrismaticUnaligned
                if drive.axis == (0.0, 0.0, 1.0):
                    joint = pin.JointModelRZ() if drive.kind == "revolute" else pin.JointModelPZ()
                else:
                    joint = kind(axis)
                parent = self.model.addJoint(parent, joint, pin.SE3(between.matrix), f"{link.name}.{number}")
                gears.append((drive.joint, drive.ratio))
                between = IDENTITY
        end = pin.SE3((between @ mechanism.flange.pose).matrix)
        self.flange = self.model.addFrame(pin.Frame("flange", parent, 0, end, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()
        # Drive values from joint values: a joint may drive several, or (a gripper's motor) none on the way.
        self.gear: Array = np.zeros((len(gears), mechanism.dof))
        for row, (column, ratio) in enumerate(gears):
            self.gear[row, column] = ratio

    def place(self, joints: Array) -> None:
        """Puts the model at joint values."""
        self.pin.framesForwardKinematics(self.model, self.data, self.gear @ joints)

    def flange_pose(self, joints: Array) -> Pose:
        """The flange seen from the base, but for last bits what ``Mechanism.forward`` gives."""
        self.place(joints)
        return Pose.of_matrix(self.data.oMf[self.flange].homogeneous)

    def jacobian(self, joints: Array) -> Array:
        """(6, dof): velocity and angular velocity of the flange along the base's axes."""
        drives = self.gear @ joints
        frame = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        full = self.pin.computeFrameJacobian(self.model, self.data, drives, self.flange, frame)
        return np.asarray(full) @ self.gear

    def residual(self, joints: Array, target: object) -> tuple[Array, Array]:
        """The error twist towards a ``pin.SE3`` in the flange's own frame, and its derivative by the joints."""
        self.place(joints)
        error = self.data.oMf[self.flange].actInv(target)
        twist = self.pin.log6(error).vector
        drives = self.gear @ joints
        local = self.pin.computeFrameJacobian(self.model, self.data, drives, self.flange, self.pin.ReferenceFrame.LOCAL)
        slope = -self.pin.Jlog6(error.inverse()) @ local @ self.gear
        return np.asarray(twist), np.asarray(slope)
