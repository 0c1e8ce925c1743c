"""The htmt command as a subprocess: whatever a kernel does, Python goes on."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import errors, results
from ._library import command
from .results import Results, Sensitivity, Study

Setting = Mapping[str, Any]
#: Options that may be given several times; a list of another option is one value.
_REPEATED = ("set", "vary", "column", "figures", "group")


class _Children:
    """Living subprocesses, so that a Ctrl-C reaches all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._living: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def start(self, arguments: list[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self.stopped:
                raise KeyboardInterrupt
            child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                # A Ctrl-C of the terminal reaches it once, from here: a second one would kill it.
                process_group=0,
            )
            self._living.add(child)
            return child

    def ended(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._living.discard(child)

    def stop(self, number: int = signal.SIGINT) -> None:
        with self._lock:
            self.stopped = True
            for child in self._living:
                child.send_signal(number)


def _text(value: Any) -> str:
    return ",".join(str(v) for v in value) if isinstance(value, (list, tuple)) else str(value)


def _words(options: Setting) -> list[str]:
    """Options as words of a command line: ``b_c=32`` is ``--b-c=32``."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, Mapping):
            for k, v in value.items():
                between = ":" if (name, k) == ("vary", "machine") else "="
                words.append(f"{option}={k}{between}{_text(v)}")
        elif name in _REPEATED and isinstance(value, (list, tuple)):
            words += [f"{option}={v}" for v in value]
        elif isinstance(value, (list, tuple)):
            words.append(f"{option}={_text(value)}")
        elif value is True:
            words.append(option)
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return words


def _line(stderr: str) -> str:
    """The line for a person: the last one on standard error."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "the command ended without a line"


def _finished(
    child: subprocess.Popen[str], stdout: str, stderr: str, read: Callable[[dict[str, Any]], Any]
) -> Any:
    try:
        result = read(json.loads(stdout))
    except ValueError:
        result = None
    if child.returncode == 0 and result is not None:
        return result
    if child.returncode == 0:
        raise errors.HostError("the command wrote no JSON object", details=stderr)
    if child.returncode < 0 and not stderr.strip():
        stderr = f"the command was ended by {signal.Signals(-child.returncode).name}"
    raise errors.of_status(child.returncode, _line(stderr), details=stderr, result=result)


def _stop(children: _Children, child: subprocess.Popen[str]) -> None:
    """End it with a report, or at a second Ctrl-C at once."""
    children.stop()
    try:
        child.communicate()
    except BaseException:
        child.kill()
        child.wait()
        raise


def _ask(
    children: _Children, words: Iterable[str], read: Callable[[dict[str, Any]], Any]
) -> Any:
    child = children.start([command(), *words, "--json=-"])
    try:
        stdout, stderr = child.communicate()
    except BaseException:
        _stop(children, child)
        raise
    finally:
        children.ended(child)
    return _finished(child, stdout, stderr, read)


def _execute(children: _Children, verb: str, app: str, options: Setting) -> Results:
    result: Results = _ask(children, [verb, app, *_words(options)], results.read)
    return result


def run(app: str | Path, **options: Any) -> Results:
    """``htmt run APP``: run the kernels, check the result, predict the time.

    Options have the names of the command line, with ``_`` for ``-``: ``check_determinism=True``
    for a switch, ``cells=(8, 64, 64)`` for ``--cells 8,64,64``, ``set={"slices": 16}``.
    Raises :class:`htmt.HtmtError`; Ctrl-C stops the command and raises KeyboardInterrupt.
    """
    return _execute(_Children(), "run", str(app), options)


def model(app: str | Path, **options: Any) -> Results:
    """``htmt model APP``: predict by the virtual clock alone, without data or kernels."""
    return _execute(_Children(), "model", str(app), options)


def predict(app: str | Path, **options: Any) -> Results:
    """``htmt predict APP``: predict by the application's closed form."""
    return _execute(_Children(), "predict", str(app), options)


def map(
    settings: Iterable[Setting],
    *,
    verb: str = "model",
    jobs: int | None = None,
    **common: Any,
) -> list[Results | errors.HtmtError]:
    """Run many settings, as many at once as there are CPUs (or ``jobs``).

    A setting is a mapping of options; it or ``common`` names the ``app``, and a setting may name
    its own ``verb``. The list has the order of the settings; an item that failed is its exception.
    Each command gets one thread unless ``threads`` is given. Ctrl-C stops all of them.
    """
    merged = [{"verb": verb, "threads": 1, **common, **setting} for setting in settings]
    for one in merged:
        if "app" not in one:
            raise TypeError(f"no app in {one}")
    children = _Children()

    def execute(one: dict[str, Any]) -> Results | errors.HtmtError:
        options = {k: v for k, v in one.items() if k not in ("app", "verb")}
        try:
            return _execute(children, one["verb"], str(one["app"]), options)
        except errors.HtmtError as error:
            return error

    workers = jobs or len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [pool.submit(execute, one) for one in merged]
        try:
            return [future.result() for future in futures]
        except BaseException:
            children.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def sweep(what: str | Path, app: str | Path | None = None, **options: Any) -> Study:
    """``htmt sweep``: a command line at all points of its axes, or a study file.

    ``sweep("predict", "cannon", size=2000, vary={"networks.vortex.latency": "0.5x..2x:5"})``, or
    ``sweep("study.yaml")``. ``vary`` and ``column`` are mappings, or lists of what stands on the
    command line; values of an axis may be a list. A refused point is a row with the reason.
    """
    study: Study = _ask_points("sweep", what, app, options, results.read_study)
    return study


def sensitivity(what: str | Path, app: str | Path | None = None, **options: Any) -> Sensitivity:
    """``htmt sensitivity``: which figures the time depends on, and how far that holds.

    ``sensitivity("predict", "cannon", size=2000, figures="networks.*")``, or
    ``sensitivity("study.yaml")``. ``figures`` is a pattern or a list of them, ``group`` a mapping
    from names to patterns.
    """
    found: Sensitivity = _ask_points("sensitivity", what, app, options, results.read_sensitivity)
    return found


def _ask_points(
    verb: str,
    what: str | Path,
    app: str | Path | None,
    options: Setting,
    read: Callable[[dict[str, Any]], Any],
) -> Any:
    words = [verb, os.fspath(what), *([] if app is None else [os.fspath(app)])]
    return _ask(_Children(), [*words, *_words(options)], read)
