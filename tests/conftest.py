"""For the whole suite: nothing is left behind, and nobody's login is used."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator

import pytest
from support import pace  # noqa: F401 -- loads hypothesis's profile
from support.leaks import Census
from support.quick_imports import be_quick

# A shell that starts a job in the background has it ignore Ctrl-C, and all that it starts, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

be_quick()


def pytest_collection_finish() -> None:
    """No test that collects garbage looks through all that stands here until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test fails that leaves threads, tasks, sockets, other descriptors or children behind.

    A kernel or a server with a process of its own may outlive one test; their fixtures end them.
    """
    own_process = request.node.get_closest_marker("kernel") or request.node.get_closest_marker("server")
    census = Census(processes=own_process is None)
    yield
    census.check()


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What is shut until the test opens it; at the latest when it ends, before the fixtures named to its left end."""
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture(autouse=True)
def no_login(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test finds the Hub token, the proxies or the client mode of whoever runs it."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "OPENENV_CLIENT_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path_factory.getbasetemp() / "no-hub"))
