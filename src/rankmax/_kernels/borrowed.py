"""Arrays without counted references, for functions within a kernel.

Wherever a record is passed to a function that is not inlined, numba counts a reference to each of its arrays, with an
atomic operation for each. Where functions are short, this takes as long as their work does.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core import cgutils
from numba.core.types.containers import BaseTuple
from numba.core.types.npytypes import Array
from numba.extending import intrinsic, overload

_Record = TypeVar("_Record")


def borrowed(record: _Record) -> _Record:
    """Return an array or a record of arrays, to which no references are counted in a kernel.

    Only for what a function was given: its caller keeps that alive until it returns. What is borrowed may not be
    returned, nor kept.

    Parameters
    ----------
    record : array or tuple
    """
    return record


@overload(borrowed)
def _borrowed_in_kernels(record: Any) -> Any:
    def stripped(record: Any) -> Any:
        return _without_references(record)

    return stripped


@intrinsic
def _without_references(typing_context: Any, record: Any) -> Any:
    def strip(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, Array):
            array = context.make_array(kind)(context, builder, value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            return array._getvalue()
        if isinstance(kind, BaseTuple):
            for i, item in enumerate(kind.types):
                part = strip(context, builder, item, builder.extract_value(value, i))
                value = builder.insert_value(value, part, i)
        return value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return strip(context, builder, signature.args[0], arguments[0])

    return record(record), generate
