"""Errors that end a run on a cluster."""

__all__ = ["ClusterError", "SchedulerLostError"]


class ClusterError(Exception):
    """The run is not possible on this cluster; the message is one sentence with the reason and the remedy."""


class SchedulerLostError(ClusterError):
    """The scheduler no longer answers, or its workers ended while they were starting; the results so far are kept."""
