"""One suite over many machines, with Dask distributed (the extra `cluster`). Imported only when a run uses a cluster."""
