"""What functions of the library print on a stream."""
from __future__ import annotations

import ctypes

from ._library import library
from .errors import of_code


def printed(name: str, e: int) -> str:
    """What a function of the library prints on a stream."""
    libc = ctypes.CDLL(None)
    libc.open_memstream.restype = ctypes.c_void_p
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = libc.open_memstream(ctypes.byref(start), ctypes.byref(size))
    rc = getattr(library(), name)(e, ctypes.c_void_p(stream))
    libc.fclose(ctypes.c_void_p(stream))
    found = ctypes.string_at(start, size.value).decode("utf-8", "replace") if start.value else ""
    libc.free(start)
    if rc:
        raise of_code(rc, f"{name}() failed")
    return found
