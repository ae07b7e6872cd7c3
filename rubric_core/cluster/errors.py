"""Errors that end a run on a cluster."""

__all__ = ["ClusterError", "SchedulerLostError"]


class ClusterError(Exception):
    """The run cannot be had on this cluster; the message is one sentence that says why and what to do."""


class SchedulerLostError(ClusterError):
    """The scheduler no longer answers; the results so far are kept."""
