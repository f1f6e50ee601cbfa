"""The Hugging Face Hub token of this machine: looked up, never shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# What a Space's proxy reads when the app behind it needs Authorization for itself.
SPACE_HEADER = "X-HF-Authorization"


def find_token(environment: Mapping[str, str] | None = None) -> tuple[str, str] | None:
    """Find the token of the person who is logged in, and where it was found; None without one.

    ``HF_TOKEN``, then ``HUGGING_FACE_HUB_TOKEN``, then the file that ``huggingface-cli login``
    writes (``HF_TOKEN_PATH``, else ``token`` under ``HF_HOME``, else under the cache folder).
    The variables are those of the process if ``environment`` is None.
    """
    values = os.environ if environment is None else environment
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if token := values.get(name, "").strip():
            return token, name
    home = values.get("HF_HOME") or str(Path(values.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    file = Path(values.get("HF_TOKEN_PATH") or Path(home) / "token").expanduser()
    try:
        token = file.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return (token, str(file)) if token else None


def with_token(headers: Mapping[str, str], token: str | None) -> dict[str, str]:
    """Add a Hub token to headers, beside an Authorization that is meant for the app itself.

    What is made are new headers, for HTTP and the WebSocket handshake alike.
    """
    added = dict(headers)
    if token:
        taken = any(name.lower() == "authorization" for name in headers)
        added[SPACE_HEADER if taken else "Authorization"] = f"Bearer {token}"
    return added
