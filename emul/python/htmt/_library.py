"""Finds libhtmt and the htmt command, and gives the library's functions their prototypes."""
from __future__ import annotations

import ctypes
import functools
import os
import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _structs
from ._numbers import checked

SONAME = "libhtmt.so.1"
_HERE = Path(__file__).resolve().parent


class LibraryNotFound(ImportError):
    """There is no libhtmt where the package looks for it."""


def _build() -> Path | None:
    """The build folder of the source tree that the package lies in."""
    root = _HERE.parents[2]
    return root / "build" if (root / "emul" / "python" / "structs").exists() else None


def _prefixes() -> Iterator[Path]:
    """Of an installation: folders above the package, the nearest first."""
    return iter(_HERE.parents)


def _libraries() -> Iterator[str]:
    """Where the library may be, the best place first."""
    given = os.environ.get("HTMT_LIBRARY")
    if given:
        yield given
        return
    build = _build()
    if build:
        yield str(build / SONAME)
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    for prefix in _prefixes():
        for folder in (prefix / "lib" / multiarch, prefix / "lib"):
            if (folder / SONAME).exists():
                yield str(folder / SONAME)
    yield SONAME


def _load() -> tuple[ctypes.CDLL, str]:
    refusals = []
    for path in _libraries():
        if os.sep in path and not os.path.exists(path):
            refusals.append(f"{path}: no such file")
            continue
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            refusals.append(str(error))
    raise LibraryNotFound(
        "libhtmt was not found; set HTMT_LIBRARY to its path. Tried: " + "; ".join(refusals)
    )


class Library:
    """The functions of libhtmt, by name. A call releases the GIL until it returns."""

    def __init__(self) -> None:
        self.handle, self.path = _load()

    def __getattr__(self, name: str) -> Any:
        if name not in _structs.PROTOTYPES:
            raise AttributeError(f"libhtmt has no function {name}")
        try:
            function = getattr(self.handle, name)
        except AttributeError:
            raise AttributeError(f"{self.path} has no function {name}: it is older") from None
        function.restype, function.argtypes, names = _structs.PROTOTYPES[name]
        setattr(self, name, checked(function, function.argtypes, names))
        return self.__dict__[name]


@functools.lru_cache(maxsize=None)
def library() -> Library:
    """The library, loaded at the first use."""
    return Library()


def _commands() -> Iterator[Path]:
    beside = os.environ.get("HTMT_LIBRARY")
    if beside:
        yield Path(beside).resolve().parent / "htmt"
    build = _build()
    if build:
        yield build / "htmt"
    for prefix in _prefixes():
        yield prefix / "bin" / "htmt"


def command() -> str:
    """Path of the htmt command: HTMT, beside the library, in the same installation, on PATH."""
    given = os.environ.get("HTMT")
    if given:
        return given
    for path in _commands():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("htmt")
    if not found:
        raise FileNotFoundError("the htmt command was not found; set HTMT to its path")
    return found


def text(value: bytes | None) -> str:
    """Text of the library as a string."""
    return (value or b"").decode("utf-8", "replace")


def new(kind: Any, **members: Any) -> Any:
    """A structure that says its size, if it has a member for that."""
    made = kind(**members)
    if kind._fields_[0][0] == "size":
        made.size = ctypes.sizeof(kind)
    return made
