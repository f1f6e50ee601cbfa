"""Functions that draw the observations of an environment, by its name."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

from openenv_notebook.values.checks import check_callback
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.given_context import with_this_context

Renderer = Callable[[Any], Any]

_ENDINGS = re.compile(r"(?:environment|env)$")
_renderers: dict[str, Renderer] = {}
_lock = threading.Lock()


def register(name: str, function: Renderer) -> None:
    """Have the observations of an environment drawn by a function, in panels and by ``%openenv render``.

    Args:
        name: The environment's name; ``connect4`` is also ``Connect4Environment``.
        function: Gets an observation; gives text, a picture, HTML of your own, or any value;
            None for the default view.

    Raises:
        MisuseError: If it cannot be called, or the name is empty.

    Example:
        >>> register_renderer("EchoEnvironment", lambda seen: seen.message.upper())
        >>> unregister_renderer("echo")
        True
    """
    check_callback("register_renderer()", function, "def draw(observation): …")
    if not _key(name):
        raise MisuseError(
            "a renderer is registered for an environment's name", hint='register_renderer("connect4", draw)'
        )
    with _lock:
        _renderers[_key(name)] = with_this_context(function)


def unregister(name: str) -> bool:
    """Draw an environment's observations by the default rules again.

    Args:
        name: The environment's name.

    Returns:
        True if there was a renderer.
    """
    with _lock:
        return _renderers.pop(_key(name), None) is not None


def renderer_of(name: str) -> Renderer | None:
    """Find the renderer of an environment; None for an unknown or an empty name."""
    with _lock:
        return _renderers.get(_key(name)) if name else None


def has_any() -> bool:
    """Tell whether any renderer is registered: without one nobody need ask for names."""
    return bool(_renderers)


def _key(name: str) -> str:
    """Make one key of ``connect4``, ``Connect4Environment`` and ``connect4_env``; a server's name has any length."""
    word = re.sub(r"[^\w:./]|_", "", name[:200].casefold())
    return _ENDINGS.sub("", word) or word
