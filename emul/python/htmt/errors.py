"""Errors: a class for each exit status of the command, with the line that a person reads."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _structs

if TYPE_CHECKING:
    from .results import Results

#: "EINVAL" of -2, and so on.
NAMES = {
    value: name[len("HTMT_") :]
    for name, value in vars(_structs).items()
    if name.startswith("HTMT_E") and isinstance(value, int) and value < 0
}


class HtmtError(Exception):
    """What the emulator refused or could not do.

    ``line`` says what is wrong, ``status`` is the exit status of the command that belongs to it,
    ``code`` the name of the library's error ("EINVAL"; None if the command did not tell).
    ``details`` has the whole standard error of the command, or the report of a deadlock, and
    ``result`` what the command computed, if it wrote an object all the same.
    """

    status = 4

    def __init__(
        self,
        line: str,
        *,
        code: str | None = None,
        status: int | None = None,
        details: str = "",
        result: Results | None = None,
    ) -> None:
        super().__init__(line)
        self.line = line
        self.code = code
        self.details = details
        self.result = result
        if status is not None:
            self.status = status

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.line, self.__dict__)


def _rebuild(kind: type[HtmtError], line: str, state: dict[str, Any]) -> HtmtError:
    error = kind(line)
    error.__dict__.update(state)
    return error


class WrongResult(HtmtError):
    """Status 1: the result differs from the reference."""

    status = 1


class InputError(HtmtError):
    """Status 2: wrong usage or bad input."""

    status = 2


class ModelError(HtmtError):
    """Status 3: the model cannot go on, for example in a deadlock."""

    status = 3


class HostError(HtmtError):
    """Status 4: the host failed, or the run was interrupted."""


class CommandCrashed(HtmtError):
    """The command was ended by a signal; ``status`` is 128 plus its number, as in a shell."""


class KernelError(HtmtError):
    """A Python function of the program raised; its exception is the ``__cause__``."""


class ViewEscaped(HtmtError):
    """A kernel kept a view of its bytes beyond its end."""

    status = 2


class NotDeterministic(HtmtError):
    """Two runs of one program differ."""


_BY_STATUS: dict[int, type[HtmtError]] = {
    1: WrongResult,
    2: InputError,
    3: ModelError,
    4: HostError,
}


def of_status(status: int, line: str, **details: Any) -> HtmtError:
    """The error that belongs to an exit status of the command."""
    if status < 0:
        return CommandCrashed(line, status=128 - status, **details)
    return _BY_STATUS.get(status, HostError)(line, **details)


def of_code(code: int, line: str) -> HtmtError:
    """The error that belongs to a code of the library."""
    from ._library import library

    status = library().htmt_exit_status(code)
    return of_status(status, line, code=NAMES.get(code, "EUNKNOWN"))
