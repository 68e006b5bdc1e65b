"""Remote files: on S3, Google or Azure storage, HDFS, or any other storage of fsspec."""

from __future__ import annotations

import os

from rankmax.errors import DataFormatError, MissingDependencyError


def local_copy(path: str | os.PathLike[str]) -> str:
    """Return a path on this machine: of a local file itself, or of a copy that is fetched once per process.

    Parameters
    ----------
    path : path or URL
        Path or URL, such as "train.npz" or "s3://bucket/train.npz".

    Examples
    --------
    >>> local_copy("train.npz"), local_copy("file:///data/train.npz")
    ('train.npz', '/data/train.npz')
    """
    name = os.fspath(path)
    if "://" not in name:
        return name
    if name.startswith("file://"):
        return name.removeprefix("file://")
    try:
        import fsspec
    except ImportError:
        raise MissingDependencyError("fsspec", "distributed", f"reading {name}") from None
    try:
        return str(fsspec.open_local(f"simplecache::{name}", simplecache={"same_names": True}))
    except FileNotFoundError:
        raise DataFormatError(name, "no such file") from None
    except ImportError as error:  # the package for this kind of storage
        raise DataFormatError(name, f"cannot read: {error}") from None
    except (OSError, ValueError) as error:
        raise DataFormatError(name, f"cannot read: {error}") from None
