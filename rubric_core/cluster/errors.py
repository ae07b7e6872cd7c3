"""What ends a run on a cluster."""

__all__ = ["ClusterError", "SchedulerLostError"]


class ClusterError(Exception):
    """The run cannot be had on this cluster; the message is one sentence that says why and what to do."""


class SchedulerLostError(ClusterError):
    """The scheduler does not answer any more; what is done is kept."""
