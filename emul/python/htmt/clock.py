"""A run on a thread of its own, so that the caller hears signals meanwhile."""
from __future__ import annotations

import _thread  # not threading: an exception of a signal's handler breaks the locks of its Event
from collections.abc import Callable

PATIENCE = 1  # seconds until functions of the user's that are still busy are interrupted


class Clock:
    """Calls ``run`` on a thread. The caller waits, and stops it when an exception comes."""

    def __init__(self, run: Callable[[], int]) -> None:
        self._run = run
        self._lock = _thread.allocate_lock()
        self._begun = self._abandoned = self._done = False
        self._ended = _thread.allocate_lock()  # free from the end of the run
        self._ended.acquire()
        self.code = 0

    def _tick(self) -> None:
        with self._lock:
            if self._abandoned:
                return
            self._begun = True
        try:
            self.code = self._run()
        except KeyboardInterrupt:
            pass  # of interrupt(), too late for the function that it was for
        finally:
            self._done = True
            self._ended.release()

    @property
    def running(self) -> bool:
        """Whether it has begun and is not over."""
        return self._begun and not self._done

    def _abandon(self) -> bool:
        """Keep it from beginning; False: it has begun."""
        with self._lock:
            self._abandoned = not self._begun
            return self._abandoned

    def wait(self, stop: Callable[[], None], interrupt: Callable[[], None]) -> BaseException | None:
        """Until it is over; what a signal's handler raised meanwhile.

        ``stop`` is called at the first exception, ``interrupt`` each second after it.
        """
        raised: BaseException | None = None
        started = False
        while not self._done:
            try:
                if not started:
                    started = True
                    _thread.start_new_thread(self._tick, ())
                if not self._ended.acquire(timeout=PATIENCE if raised else -1):
                    interrupt()
            except BaseException as error:
                raised = raised or error
                stop()
                if self._abandon():
                    return raised
        return raised
