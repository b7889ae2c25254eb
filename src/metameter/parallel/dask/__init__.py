"""Running tasks on a Dask cluster."""
