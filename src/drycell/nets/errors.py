"""What can be wrong with a net, or with a question about it."""

from drycell.base import DrycellError


class NetError(DrycellError):
    """A net that makes no sense, a firing that is not enabled, or a question that cannot be answered of it."""


class OutOfTime(NetError):
    """A question about a net was given up because its time was over."""
