"""The loop of a server in this process: it hands each session's work to the session's thread, for its caller."""

from __future__ import annotations

import asyncio
import contextvars
import types
import weakref
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from openenv_notebook.servers.in_process.threads import Worker
from openenv_notebook.wire.same_process import Caller, told_words

# The variables by which ipykernel knows the cell that a print belongs to.
CELL_VARIABLES = frozenset({"parent_header", "shell_parent", "shell_parent_ident"})

# The folder of servers: frames of its files are none of an environment's.
_SERVERS = str(Path(__file__).parents[1])


class Visit:
    """A connection or request while it is served: its client, if in this process, and the threads made for it."""

    def __init__(self, caller: Caller | None) -> None:
        self.caller = caller
        self.workers: list[Worker] = []

    def end(self) -> None:
        """End the threads made for it."""
        for worker in self.workers:
            worker.end()


_visit: contextvars.ContextVar[Visit | None] = contextvars.ContextVar("openenv_visit", default=None)


def begin_visit(visit: Visit) -> None:
    """Let what this task does be done for a visit."""
    _visit.set(visit)


def visiting_caller() -> Caller | None:
    """The client of this process that this task serves, or None."""
    visit = _visit.get()
    return visit.caller if visit is not None else None


class ServingLoop(asyncio.SelectorEventLoop):
    """An event loop whose executors are workers: each executor is one thread.

    The official server has an executor for each session, so all of a session's work runs on one thread, which is named
    after what is served. ``failed`` is called with each exception an environment raises, and where it did.
    """

    def __init__(self, name: str, failed: Callable[[BaseException, types.TracebackType | None], object]) -> None:
        super().__init__()
        self._name = name
        self._failed = failed
        self._workers: weakref.WeakKeyDictionary[Executor, Worker] = weakref.WeakKeyDictionary()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Run a function on the thread that stands for the executor; without one, on that of the session."""
        caller = visiting_caller()
        future: asyncio.Future[Any] = self.create_future()

        def done(value: Any, error: BaseException | None) -> None:
            try:
                self.call_soon_threadsafe(_settle, future, value, error)
            except RuntimeError:
                return  # the loop has ended before the work

        self._worker(executor).submit(lambda: self.run_for(caller, lambda: func(*args)), done)
        return future

    def run_for(self, caller: Caller | None, work: Callable[[], Any]) -> Any:
        """Run an environment's code for whoever waits: prints go to their cell, exceptions to them.

        ``caller`` is None for anybody outside of this process. Returns and raises what the code does; an exit or an
        interrupt, which would end the server, is raised as an error with its words.
        """
        enter_cell(caller)
        try:
            return work()
        except Exception as error:
            self.note(caller, error)
            raise
        except BaseException as error:
            self.note(caller, error)
            raise RuntimeError(told_words(error)) from None

    def note(self, caller: Caller | None, error: BaseException) -> None:
        """Keep what an environment raised, for the log and for the caller."""
        trace = own_frames(error.__traceback__)
        self._failed(error, trace)
        if caller is not None:
            caller.leave(error, trace)

    def end_workers(self) -> None:
        """End the threads of all sessions."""
        for worker in list(self._workers.values()):
            worker.end()

    def _worker(self, executor: Executor | None) -> Worker:
        visit = _visit.get()
        if executor is None and visit is not None and visit.workers:
            return visit.workers[0]
        worker = self._workers.get(executor) if executor is not None else None
        if worker is None:
            worker = Worker(f"openenv-env-{self._name}")
            if executor is not None:
                self._workers[executor] = worker
            if visit is not None:
                visit.workers.append(worker)
        return worker

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Write what nobody handles into the server's log, not into the notebook."""
        error = context.get("exception")
        error = error if error is not None else RuntimeError(str(context.get("message")))
        self._failed(error, error.__traceback__)


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    elif isinstance(error, StopIteration):
        # A future cannot raise it.
        future.set_exception(RuntimeError(f"the environment raised StopIteration: {told_words(error)}"))
    else:
        future.set_exception(error)


def enter_cell(caller: Caller | None) -> None:
    """Let the prints of this thread or task go to the cell whose call is being answered.

    Only what names the cell is taken over; the environment's own context variables (those of decimal and numpy are
    some) stay as it left them.
    """
    context = caller.context if caller is not None else None
    for variable in context or ():
        if variable.name in CELL_VARIABLES:
            variable.set(context[variable])  # type: ignore[index]


def own_frames(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Drop the frames of servers above an environment's own; a traceback that has none of its own stays whole."""
    inner = trace
    while inner is not None and _is_of_server(inner.tb_frame):
        inner = inner.tb_next
    return inner or trace


def _is_of_server(frame: types.FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return frame.f_code.co_filename.startswith(_SERVERS) or module.startswith(("openenv.core.env_server.", "asyncio."))
