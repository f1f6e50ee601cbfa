"""The first cell on hosts that ship packages of their own: it must change none of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.built import ROOT, Built
from support.kernels import started_by
from support.pythons import Environment
from support.smoke import play

# The first test of an environment waits for its installation.
pytestmark = pytest.mark.timeout(240)

HERE = Path(__file__).parent
# What docs/how-to/colab-kaggle-binder.md tells people to put first.
FIRST_CELL = "%pip install -q openenv-notebook"
HOSTS = ("colab", "kaggle", "sagemaker")


def shipped(host: str) -> dict[str, str]:
    """Read what a host ships."""
    return dict(re.findall(r"^([a-z-]+)==(\S+)$", (HERE / f"{host}.txt").read_text(), re.M))


def test_the_documented_cell_is_the_tested_one() -> None:
    """The documentation shows the cell that is tested here."""
    assert f"\n{FIRST_CELL}\n" in (ROOT / "docs/how-to/colab-kaggle-binder.md").read_text()


def asked(ships: dict[str, str], wheel: Path, folder: Path) -> dict[str, str] | None:
    """Ask pip what it would install on a host, without an index: by name; None where it cannot."""
    for name, version in ships.items():
        place = folder / "host" / f"{name.replace('-', '_')}-{version}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (place / "INSTALLER").write_text("pip\n")
    # It sees the host's packages before those of this environment.
    code = f"import sys; sys.path.insert(0, {str(folder / 'host')!r}); sys.argv[0] = 'pip'\n"
    code += "from pip._internal.cli.main import main; sys.exit(main())"
    report = folder / "report.json"
    words = ["install", "--dry-run", "--no-index", "--report", str(report), str(wheel)]
    ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60, cwd=folder)
    if ran.returncode != 0:
        assert "No matching distribution found" in ran.stderr, ran.stderr
        return None
    return {one["metadata"]["name"]: one["metadata"]["version"] for one in json.loads(report.read_text())["install"]}


@pytest.mark.parametrize("host", HOSTS)
def test_pip_changes_nothing_of_a_host(host: str, built: Built, tmp_path: Path) -> None:
    """pip's own resolver, asked without an index, installs our wheel beside what the host ships, and that alone."""
    changed = asked(shipped(host), built.wheel, tmp_path)
    assert changed is not None
    assert not set(changed) & set(shipped(host))
    assert set(changed) <= {"openenv-notebook", "nest-asyncio2"}


def test_pip_would_be_seen_to_change_a_host(built: Built, tmp_path: Path) -> None:
    """The test above can fail: of a host whose IPython is too old, pip cannot leave all as it is."""
    assert asked(shipped("colab") | {"ipython": "7.33.0"}, built.wheel, tmp_path) is None


@pytest.mark.kernel
def test_the_first_cell_on_colab(colab: Environment, built: Built) -> None:
    """On Colab's own packages the first cell installs, changes none of them, and an episode and the panel follow."""
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(built.wheel.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    before = colab.run("-m", "pip", "freeze", **offline)
    with started_by(colab.python, colab.folder, **offline) as kernel:
        kernel.run(FIRST_CELL)
        for name, version in shipped("colab").items():
            found = kernel.ok(f"import importlib.metadata as m; print(m.version({name!r}))").stdout
            assert found == f"{version}\n", name
        play(kernel)
    after = colab.run("-m", "pip", "freeze", **offline).splitlines()
    assert [line for line in after if not line.startswith("openenv-notebook")] == before.splitlines()
