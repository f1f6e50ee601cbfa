"""Asking a local server whether it answers."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request


def is_healthy(url: str, *, timeout: float) -> bool:
    """Ask GET /health once, without a proxy, and wait ``timeout`` seconds; True if it answered 200."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/health", timeout=timeout) as response:
            return bool(response.status == 200)
    except (OSError, http.client.HTTPException):
        return False
