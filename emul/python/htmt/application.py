"""A Python file as an application of the command: ``htmt run app.py``.

The file is to the command what a plug-in is. It has functions in the place of a plug-in's steps:

* ``create(task, e)``: objects, types and parcels of the Emulator ``e``. Needed.
* ``plan(task)``: reads the options.  ``input(task)``: data that only a run needs.
* ``collect(task)``, ``check(task)``, ``write(task)``, ``conclude(task)``: after the run.

``options`` is a dictionary: the name of an option to (what its value is, default, help); a switch
has None as its value. The first line of the docstring is the summary, ``name`` is the name, else
that of the file. With ``ranks = True`` the processes of mpirun may play the slices of one run.
docs/python.md is the guide.

htmt_main() of the library does the rest, so that options, reports, files and exit statuses are
those of a plug-in. An exception in a function ends the run with one line: what it is, file, line.
"""
from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import _structs
from ._library import library, text
from ._numbers import Unique
from .errors import NAMES, HostError, HtmtError, InputError

CODES = {name: code for code, name in NAMES.items()}
#: Steps that are given the task alone, in their order.
STEPS = ("plan", "input", "collect", "check", "write", "conclude")
#: Of check(), when it returns a bool.
VERDICT = "wrong"


class Told(InputError):
    """A refusal whose line the task has already."""


def _utf8(line: str) -> bytes:
    return line.encode("utf-8", "replace")


class Task(Unique):
    """One request that the application works on. Attributes are free for what its steps share."""

    def __init__(self, handle: int) -> None:
        self._task = handle
        self._emulator: Any = None

    # ---- what is wanted -------------------------------------------------------------------------

    @property
    def is_model(self) -> bool:
        """No data: a model run, or a prediction."""
        return bool(library().htmt_task_is_model(self._task))

    @property
    def slices(self) -> int:
        """Slices that take part."""
        return int(library().htmt_request_slices(library().htmt_task_request(self._task)))

    @property
    def seed(self) -> int:
        """The value of --seed."""
        return int(library().htmt_request_seed(library().htmt_task_request(self._task)))

    @property
    def emulator(self) -> Any:
        """The Emulator, from create() on."""
        if self._emulator is None:
            raise InputError("the task has no emulator before create()")
        return self._emulator

    def value(self, name: str) -> str | None:
        """Value of an option, "" of a switch that was given; None: not given, and no default."""
        found = library().htmt_task_value(self._task, _utf8(name))
        return None if found is None else text(found)

    def whole(self, name: str, least: int = 0, most: int = 2**64 - 1) -> int | None:
        """The same as a whole number; another one is refused in one line."""
        found = ctypes.c_uint64()
        self._ask(library().htmt_task_whole, name, least, most, found)
        return None if self.value(name) is None else found.value

    def real(self, name: str, least: float, most: float) -> float | None:
        """The same as a finite number."""
        found = ctypes.c_double()
        self._ask(library().htmt_task_real, name, least, most, found)
        return None if self.value(name) is None else found.value

    def _ask(self, function: Any, name: str, least: Any, most: Any, found: Any) -> None:
        code = function(self._task, _utf8(name), least, most, ctypes.byref(found))
        if code:
            line = text(library().htmt_task_fault(self._task)[0].text)
            raise Told(line, code=NAMES.get(code))

    # ---- what a report says ---------------------------------------------------------------------

    def problem(self, line: str) -> None:
        """One line: what is computed, sizes."""
        library().htmt_task_problem(self._task, b"%s", _utf8(line))

    def flops(self, flops: float) -> None:
        """Operations of the problem."""
        library().htmt_task_flops(self._task, flops)

    def note(self, line: str) -> None:
        """A line more for the report."""
        library().htmt_task_note(self._task, b"%s", _utf8(line))

    def warn(self, name: str, line: str) -> None:
        """A warning; with --strict the run ends with it."""
        library().htmt_task_warn(self._task, _utf8(name), b"%s", _utf8(line))

    def found(self, name: str, value: float | str, unit: str = "1") -> None:
        """A figure or a text that programs read in the JSON object."""
        if isinstance(value, str):
            library().htmt_task_found_text(self._task, _utf8(name), _utf8(value))
        else:
            library().htmt_task_found(self._task, _utf8(name), value, _utf8(unit))

    def checked(self, name: str, value: float, tolerance: float, correct: bool) -> None:
        """What check() found; a run that is not correct ends with status 1."""
        library().htmt_task_checked(self._task, _utf8(name), value, tolerance, bool(correct))

    def unchecked(self, why: str) -> None:
        """Why this run was not checked."""
        library().htmt_task_unchecked(self._task, b"%s", _utf8(why))

    def compare(self, found: Any, wanted: Any, tolerance: float) -> None:
        """The largest difference of two arrays of numbers is the error."""
        import numpy

        each = [numpy.ascontiguousarray(a, float).ravel() for a in (found, wanted)]
        if each[0].size != each[1].size:
            raise ValueError(f"found {each[0].size} numbers, expected {each[1].size}")
        start = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in each]
        library().htmt_task_compare(self._task, *start, each[0].size, tolerance)


class Application:
    """The struct htmt_app of a file, and the tasks that its steps work on."""

    def __init__(self, module: types.ModuleType, file: Path) -> None:
        self._module = module
        self._tasks: dict[int, Task] = {}
        self._kept: list[Any] = []
        summary = (module.__doc__ or "").strip().splitlines()
        self.struct = app = _structs.htmt_app()
        app.abi, app.size = 2, ctypes.sizeof(app)
        app.name = self._text(getattr(module, "name", None) or re.sub(r"[^\w-]", "_", file.stem))
        app.summary = self._text(summary[0] if summary else f"the application of {file.name}")
        app.options = self._options(getattr(module, "options", {}))
        app.ranks = self._ranks(getattr(module, "ranks", False))
        if not callable(getattr(module, "create", None)):
            raise InputError("found no function create(task, e)")
        for name in STEPS:
            if callable(getattr(module, name, None)):
                self._member(name, self._step(name))
        self._member("create", self._create)
        self._member("explain", self._explain)
        # What a function of a collective raised is known when the run is over.
        self._member("collect", self._collect)
        self._member("destroy", lambda task, work: self._tasks.pop(task, None) and None)

    @staticmethod
    def _ranks(given: Any) -> bool:
        if not isinstance(given, bool):
            raise InputError(f"ranks: found {given!r}, expected True or False")
        return given

    def _text(self, line: str) -> bytes:
        kept = _utf8(line)
        self._kept.append(kept)
        return kept

    def _options(self, given: Any) -> Any:
        """The rows of a dictionary, for as long as the process lives."""
        rows = (_structs.htmt_app_option * (len(given) + 1))()
        for row, (name, what) in zip(rows, given.items()):
            if not (isinstance(what, Sequence) and not isinstance(what, str) and len(what) == 3):
                raise InputError(f"option {name!r}: found {what!r}, expected (value, default, help)")
            value, default, line = what
            row.name, row.help = self._text(str(name)), self._text(str(line))
            row.value_name = None if value is None else self._text(str(value))
            row.fallback = None if default is None else self._text(str(default))
        self._kept.append(rows)
        return ctypes.cast(rows, ctypes.POINTER(_structs.htmt_app_option))

    def _member(self, name: str, function: Callable[..., Any]) -> None:
        kind: Any = {field[0]: field[1] for field in _structs.htmt_app._fields_}[name]
        made = kind(function)
        self._kept.append(made)
        setattr(self.struct, name, made)

    # ---- steps ----------------------------------------------------------------------------------

    def _task(self, handle: int) -> Task:
        return self._tasks.setdefault(handle, Task(handle))

    def _call(self, handle: int, function: Callable[[], Any]) -> int:
        """A function of the file; the code that its exception stands for, whose line is told."""
        from .program import describe

        try:
            function()
        except Told as error:
            return CODES.get(error.code or "", _structs.HTMT_EINVAL)
        except BaseException as error:
            code = error.code if isinstance(error, HtmtError) else None
            return self._refuse(handle, CODES.get(code or "", _structs.HTMT_EINVAL), describe(error))
        return 0

    @staticmethod
    def _refuse(handle: int, code: int, line: str) -> int:
        return int(library().htmt_task_refuse(handle, code, b"%s", _utf8(line)))

    def _step(self, name: str) -> Callable[[int, int | None], int]:
        function = getattr(self._module, name)

        def enter(handle: int, work: int | None) -> int:
            return self._call(handle, lambda: self._found(self._task(handle), name, function))

        return enter

    @staticmethod
    def _found(task: Task, name: str, function: Callable[[Task], Any]) -> None:
        returned = function(task)
        if name == "check" and isinstance(returned, bool):
            task.checked(VERDICT, float(not returned), 0, returned)
        elif returned is not None:
            wanted = "a bool or None" if name == "check" else "None"
            raise TypeError(f"{name}() returned {type(returned).__name__}, expected {wanted}")

    def _create(self, handle: int, work: int | None, emulator: int) -> int:
        def create() -> None:
            from .emulator import Emulator

            task = self._task(handle)
            task._emulator = Emulator._of(emulator)
            self._kept.append(task._emulator._program.kept)  # the command destroys it after us
            self._module.create(task, task._emulator)

        return self._call(handle, create)

    def _stopped(self, handle: int) -> int:
        """What a cost function or a combination raised, which have no call to fail with."""
        emulator = self._task(handle)._emulator
        if emulator is None or not emulator._program.stopped:
            return 0
        return self._refuse(handle, _structs.HTMT_EINVAL, emulator._program.raised[0][0])

    def _explain(self, handle: int, work: int | None, code: int) -> int:
        return self._stopped(handle) or code

    def _collect(self, handle: int, work: int | None) -> int:
        code = self._stopped(handle)
        task = self._task(handle)
        if not code and not task.is_model:
            code = self._call(handle, task.emulator._refresh)
        if not code and callable(getattr(self._module, "collect", None)):
            code = self._step("collect")(handle, work)
        return code


def load(path: str) -> Application:
    """The application of a file. Raises InputError with one line."""
    try:
        from .program import describe
    except ImportError as error:
        raise HostError(f"an application in Python needs NumPy: {error} ({sys.executable})") from error
    file = Path(path)
    try:
        source = file.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    module = types.ModuleType("__htmt_app__")
    module.__file__ = path
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        exec(compile(source, path, "exec"), module.__dict__)
        return Application(module, file)
    except SyntaxError as error:
        place = f"{Path(error.filename or path).name}:{error.lineno or 0}"
        raise InputError(f"{path}: SyntaxError: {error.msg} ({place})") from error
    except (Exception, SystemExit) as error:
        raise InputError(f"{path}: {describe(error)}") from error


def _is_mute(verb: str, rest: list[str]) -> bool:
    """A process of a run of several that is not the first: the command keeps it silent, and so is
    the file. Launchers tell processes their numbers (docs/hosts.md)."""
    rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMIX_RANK", "0"))
    alone = "--mpi=off" in rest or ("--mpi", "off") in zip(rest, rest[1:])
    return rank != "0" and verb in ("run", "model") and not alone


def main(words: list[str]) -> int:
    """``VERB FILE.py [options]``: the exit status."""
    verb, path, *rest = words
    if _is_mute(verb, rest):
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")
    try:
        application = load(path)
    except HtmtError as error:
        line = "".join(c if c.isprintable() else "?" for c in error.line)
        print(f"htmt {verb}: {line}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print(f"htmt {verb}: interrupted", file=sys.stderr)
        return HtmtError.status
    # As a plug-in finds them: Python ignores SIGPIPE, and has a handler of SIGINT.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    each = ["htmt", *(["run", "--help"] if verb == "help" else [verb, *rest])]
    argv = (ctypes.c_char_p * (len(each) + 1))(*(os.fsencode(word) for word in each), None)
    status = int(library().htmt_main(len(each), argv, ctypes.byref(application.struct)))
    try:
        sys.stdout.flush()
    except OSError:
        return status or HtmtError.status
    return status
