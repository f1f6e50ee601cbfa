"""Folders, apps and git addresses: what is read before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from openenv_notebook.servers.process.projects import DEFAULT_APP, git_address, read_app
from openenv_notebook.values.errors import InvalidTarget


@pytest.mark.parametrize(
    ("manifest", "app"),
    [
        ("spec_version: 1\nname: my_env\napp: server.app:app\nport: 8000\n", "server.app:app"),
        ('app: "plain:app"\n', "plain:app"),
        ("app: 'a.b:make()'   # a factory\r\n", "a.b:make()"),
        ("name: x\nserver:\n  app: inner:app\n", DEFAULT_APP),
        ("# app: commented:out\n", DEFAULT_APP),
        ("app:\n", DEFAULT_APP),
        ("", DEFAULT_APP),
    ],
)
def test_the_app_of_a_project_is_read(tmp_path: Path, manifest: str, app: str) -> None:
    """The top-level app of openenv.yaml is read, as `openenv init` and people write it."""
    (tmp_path / "openenv.yaml").write_text(manifest)
    assert read_app(tmp_path) == app


def test_what_is_no_project_is_named(tmp_path: Path) -> None:
    """A missing folder and a missing manifest are told apart."""
    with pytest.raises(InvalidTarget, match="no such folder"):
        read_app(tmp_path / "nowhere")
    with pytest.raises(InvalidTarget, match=r"no openenv\.yaml"):
        read_app(tmp_path)


@pytest.mark.parametrize(
    ("argument", "address"),
    [
        ("git+https://host/a/b", "https://host/a/b"),
        ("https://host/a.git", "https://host/a.git"),
        ("git@host:a/b.git", "git@host:a/b.git"),
        ("ssh://git@host/a", "ssh://git@host/a"),
        ("owner/name", "https://huggingface.co/spaces/owner/name"),
        ("./folder", None),
        ("../a/b", None),
        ("/a/b", None),
        ("~/a", None),
        ("folder", None),
    ],
)
def test_addresses_and_folders_are_told_apart(argument: str, address: str | None) -> None:
    """A09: a git address is cloned as it was typed; a Hub Space has one; a folder has none."""
    assert git_address(argument) == address
