"""Imports without what takes long and no test needs.

gradio writes its stubs anew at each import, a third of the time that openenv takes to import. jsonschema, which
nbformat asks, builds a grammar of international addresses, where its package for them is installed.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _NoStubs(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "gradio.component_meta":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def without(module: ModuleType) -> None:
            execute(module)
            module.create_or_modify_pyi = lambda *_: None  # type: ignore[attr-defined]

        spec.loader.exec_module = without  # type: ignore[method-assign]
        return spec


def be_quick() -> None:
    """Have both, when they are imported into this process, leave that out."""
    sys.meta_path.insert(0, _NoStubs())
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
