"""A forked child and what it inherits: sockets are closed by descriptor, the parent's loop is not touched."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any


def in_forked_child(call: Callable[[], object]) -> None:
    """Have something called in each child that is forked from here; nothing is done where processes do not fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


# Kept for ever: their destructors would act on the parent's loop.
_inherited: list[Any] = []


def close_inherited(wire: Any) -> None:
    """Close the socket of a parent's connection, or None, by descriptor, so that the parent's loop is not touched."""
    transport = getattr(wire, "transport", None)
    if transport is None:
        return
    _inherited.append(wire)
    raw = getattr(transport, "_sock", None)
    visible = transport.get_extra_info("socket")
    descriptor = raw.detach() if raw is not None else visible.fileno() if visible is not None else -1
    _close_descriptor(descriptor)


def keep_loop(owner: Any, loop: Any) -> None:
    """Close the descriptors of a loop that only runs in the parent, and never touch it, or what holds it, again.

    uvloop's descriptors cannot be reached and stay open.
    """
    _inherited.append(owner)
    for name in ("_selector", "_ssock", "_csock"):
        part = getattr(loop, name, None)
        if part is not None:
            _close_descriptor(part.detach() if hasattr(part, "detach") else part.fileno())


def _close_descriptor(descriptor: int) -> None:
    if descriptor >= 0:
        with contextlib.suppress(OSError):
            os.close(descriptor)
