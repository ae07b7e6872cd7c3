"""One suite over many machines, with Dask distributed (the extra `cluster`). Nothing here is imported unless that is asked for."""
