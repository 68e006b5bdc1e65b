from rankmax.backends.backend import Backend as Backend
from rankmax.backends.dask import DaskBackend as DaskBackend
from rankmax.backends.local import LocalBackend as LocalBackend
