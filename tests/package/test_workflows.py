"""The workflows that run elsewhere call the verbs of this Makefile, and nothing that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.built import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))


def load(path: Path) -> dict[Any, Any]:
    """Read a workflow."""
    read = yaml.safe_load(path.read_text())
    assert isinstance(read, dict)
    return read


def steps(path: Path) -> list[dict[str, Any]]:
    """Give all steps of a workflow."""
    return [step for job in load(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_the_verbs(path: Path) -> None:
    """It is valid, checks the tree out before it runs anything, has limits, and runs targets of this Makefile only."""
    workflow = load(path)
    # YAML reads `on` as true.
    assert workflow[True] and workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        called = [step["run"] for step in job["steps"] if "run" in step]
        assert all(re.fullmatch(r"make [a-z-]+", line) for line in called), called
        assert {line.removeprefix("make ") for line in called} <= TARGETS
        if called:
            assert job["timeout-minutes"] and job["steps"][0]["uses"].startswith("actions/checkout@")
    assert all(("run" in step) != ("uses" in step) for step in steps(path))


def test_every_push_is_checked_and_tested_on_every_python() -> None:
    """`make check` and `make test` run on each Python that the project names."""
    workflow = load(ROOT / ".github/workflows/ci.yml")
    called = {step.get("run") for step in steps(ROOT / ".github/workflows/ci.yml")}
    assert {"make check", "make test", "make binder-check"} <= called
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [found[1] for line in project["classifiers"] if (found := re.search(r":: (3\.\d+)$", line))]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == named


def test_a_release_uploads_what_was_tested() -> None:
    """A release is checked, tested and built in this order, and uploaded without a token that somebody keeps."""
    workflow = load(ROOT / ".github/workflows/release.yml")
    called = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "run" in step]
    assert called == ["make check", "make test", "make build"]
    publish = workflow["jobs"]["publish"]
    assert publish["needs"] == "build" and publish["permissions"] == {"id-token": "write"}
    assert not re.search(r"secrets\.|password", (ROOT / ".github/workflows/release.yml").read_text())


def test_every_verb_says_what_it_does() -> None:
    """Each target that a person calls has a line in `make help`."""
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.M)
    told = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.M))
    assert set(phony.split()) == told == TARGETS
