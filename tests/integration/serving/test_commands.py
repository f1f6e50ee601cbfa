"""Images by docker, projects by uv: against stand-ins on PATH that speak as the real commands do."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.local_servers import PROJECTS, Docker, ask, is_there, listens
from support.waiting import eventually, eventually_here

from openenv_notebook import (
    EnvClient,
    GenericEnvClient,
    InvalidTarget,
    MisuseError,
    NotSupportedHere,
    OpenEnvError,
    ServerStartFailed,
    SyncEnvClient,
    connect,
    serve,
)


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[Path], str]:
    """Make a git repository of a folder."""

    def make(folder: Path) -> str:
        home = tmp_path / "repository"
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(home)]
        subprocess.run(["cp", "-r", str(folder), str(home)], check=True)
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            subprocess.run([*git, *command], check=True)
        return f"git+file://{home}"

    return make


class TestDocker:
    """docker:IMAGE."""

    def test_an_image_is_served_and_removed(self, stand_ins: Docker) -> None:
        """An image runs with its port on the loopback only; stop() stops and removes it."""
        with serve("docker:here:latest") as server, connect(server.url) as env:
            env.reset()
            assert env.step(message="hi").observation
            [container] = stand_ins.containers
            assert server.url == f"http://127.0.0.1:{container['port']}"
            [command] = [call for call in stand_ins.calls if call.startswith("run")]
            assert f"--rm --name openenv-notebook-{os.getpid()}-" in command
            assert command.endswith(f"-p 127.0.0.1:{container['port']}:8000 here:latest")
            eventually(lambda: "listening" in "\n".join(server.log), what="its words are in the log")
            assert (server.kind, server.sessions_active, server.sessions_maximum) == ("docker", None, None)
        assert stand_ins.containers == [] and not is_there(container["pid"]) and not listens(server.url)
        assert any(call.startswith("stop -t 1 openenv-notebook-") for call in stand_ins.calls)

    def test_an_image_that_is_not_here_is_pulled(self, stand_ins: Docker) -> None:
        """An image that is not on this machine is pulled first, and what docker says of it is in the log."""
        with serve("docker:far:latest") as server:
            assert "Status: Downloaded newer image for far:latest" in server.log
        assert [call.split()[0] for call in stand_ins.calls[:3]] == ["image", "pull", "run"]

    @pytest.mark.parametrize(
        ("image", "command", "code", "words"),
        [
            ("nosuch:latest", "docker pull nosuch:latest", 1, "pull access denied for nosuch:latest"),
            ("crashing:latest", "docker run", 1, "ModuleNotFoundError: No module named 'env'"),
            ("taken:latest", "docker run", 125, "port is already allocated"),
        ],
    )
    def test_a_failure_is_told_in_docker_s_words(
        self, stand_ins: Docker, image: str, command: str, code: int, words: str
    ) -> None:
        """A09: what docker refuses, and a container that ends, fail the start at once, in their own words."""
        with pytest.raises(ServerStartFailed, match=rf"{command}.* ended with code {code}") as caught:
            serve(f"docker:{image}", ready_within=1e6)
        assert words in "\n".join(caught.value.log)
        assert stand_ins.containers == []

    def test_a_daemon_that_is_down_is_told(self, stand_ins: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where docker's daemon does not run, docker's sentence is shown at once."""
        monkeypatch.setenv("DOCKER_STAND_IN_DOWN", "1")
        with pytest.raises(ServerStartFailed, match="Is the docker daemon running"):
            connect("docker:here:latest")

    @pytest.mark.parametrize(
        ("start", "words"),
        [
            (lambda: serve("docker:here:latest"), ['connect("owner/name")', 'serve("./folder")', "serve(MyEnv)"]),
            (lambda: connect("docker:here:latest"), ['connect("owner/name")', "serve(MyEnv)"]),
            (lambda: GenericEnvClient.from_docker_image("here:latest").sync(), ["serve(MyEnv)"]),
            (
                lambda: GenericEnvClient.from_env("my-org/echo").sync(),
                ['connect("my-org/echo")', 'from_env("my-org/echo", use_docker=False)', "serve(MyEnv)"],
            ),
            (
                lambda: asyncio.run(EnvClient.from_env("my-org/echo")),
                ['connect("my-org/echo")', "use_docker=False", "serve(MyEnv)"],
            ),
        ],
    )
    def test_without_docker_it_says_what_else_there_is(
        self, start: Callable[[], Any], words: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R32: where docker is missing, the error has the command that installs it, and every way without it."""
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(NotSupportedHere, match=r"docker, which is not installed · install it: apt install") as told:
            start()
        for word in words:
            assert word in str(told.value)

    def test_a_daemon_that_is_down_has_other_ways_too(self, stand_ins: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
        """R32: where docker is there and does not run, its sentence is shown with the ways without it."""
        monkeypatch.setenv("DOCKER_STAND_IN_DOWN", "1")
        with pytest.raises(ServerStartFailed, match="Is the docker daemon running") as told:
            GenericEnvClient.from_env("my-org/echo").sync()
        assert 'connect("my-org/echo")' in str(told.value) and "use_docker=False" in str(told.value)

    @pytest.mark.parametrize("missing", ["uv", "git"])
    def test_without_uv_or_git_it_says_what_else_there_is(
        self, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R32: a project by uv without uv, or of a Space without git, has its other ways: the Space itself, docker."""
        if missing == "git":
            (tmp_path / "uv").write_text("#!/bin/sh\n")
            (tmp_path / "uv").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(NotSupportedHere, match=f"needs {missing}, which is not installed") as told:
            GenericEnvClient.from_env("my-org/echo", use_docker=False).sync()
        for word in (f"install {missing}", 'connect("my-org/echo")', "use_docker=True", "serve(MyEnv)"):
            assert word in str(told.value)

    def test_clients_share_a_container(self, stand_ins: Docker) -> None:
        """connect("docker:…") shares one container among its clients; the last close ends it."""
        first, second = connect("docker:here:latest"), connect("docker:here:latest")
        assert first.base_url == second.base_url and len(stand_ins.containers) == 1
        first.close()
        assert second.reset()
        second.close()
        assert stand_ins.containers == []


class TestUv:
    """uv:PROJECT."""

    def test_a_folder_is_served(self, stand_ins: Docker) -> None:
        """A folder is served by uv's own environment for it, and ends with all its processes."""
        with serve(f"uv:{PROJECTS / 'plain'}") as server:
            told = ask(server.url)
            assert server.kind == "uv"
            assert "Installed 2 packages in 4ms" in server.log
        assert not is_there(told["pid"]) and not listens(server.url)

    def test_a_git_address_is_cloned(self, stand_ins: Docker, repository: Callable[[Path], str]) -> None:
        """A git address is cloned, served, and the clone is removed at the end."""
        with serve(f"uv:{repository(PROJECTS / 'plain')}") as server:
            folder = ask(server.url)["folder"]
            assert Path(folder).is_dir()
        assert not Path(folder).exists()

    def test_an_address_that_cannot_be_cloned_is_told(self, stand_ins: Docker) -> None:
        """A09: a git address that cannot be cloned fails: command, code, git's words, no password."""
        with pytest.raises(ServerStartFailed, match=r"git clone --depth 1 .* ended with code 128") as caught:
            serve("uv:git+http://me:sesame@127.0.0.1:9/nothing.git")
        assert "fatal:" in "\n".join(caught.value.log)
        assert "sesame" not in str(caught.value)

    def test_a_project_that_cannot_be_resolved_is_told(self, stand_ins: Docker, tmp_path: Path) -> None:
        """What uv cannot resolve fails the start at once, in uv's words."""
        folder = tmp_path / "unresolvable"
        subprocess.run(["cp", "-r", str(PROJECTS / "plain"), str(folder)], check=True)
        with pytest.raises(ServerStartFailed, match=r"uv run .* ended with code 1") as caught:
            serve(f"uv:{folder}")
        assert "requirements are unsatisfiable" in "\n".join(caught.value.log)

    def test_without_uv_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where uv is missing, one sentence says so, with the command that installs it."""
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(NotSupportedHere, match="needs uv, which is not installed · %pip install uv"):
            serve("uv:./plain")


class Fake:
    """A provider as the official package's for containers; its readiness waits for an event."""

    def __init__(self, ready: threading.Event | None = None, fails: bool = False) -> None:
        self.calls: list[str] = []
        self.ready = ready
        self.fails = fails
        self.server = serve("demo:echo")

    def start_container(self, image: str, **options: Any) -> str:
        """Start."""
        self.calls.append(f"start {image} {options}")
        return self.server.url

    def wait_for_ready(self, base_url: str, timeout_s: float = 30.0) -> None:
        """Wait."""
        self.calls.append("wait")
        if self.ready is not None:
            self.ready.wait(20)
        if self.fails:
            raise TimeoutError("it never became ready")

    def stop_container(self) -> None:
        """Stop."""
        self.calls.append("stop")
        self.server.stop()


class TestStarting:
    """EnvClient.from_docker_image and EnvClient.from_env."""

    def test_sync_gives_a_connected_client(self, stand_ins: Docker) -> None:
        """A10: .sync() gives a connected blocking client, no coroutine, whose base_url can be read."""
        env = GenericEnvClient.from_docker_image("here:latest", env_vars={"GREETING": "hello"}).sync()
        assert isinstance(env, SyncEnvClient) and not inspect.iscoroutine(env)
        [container] = stand_ins.containers
        assert env.base_url == f"http://127.0.0.1:{container['port']}"
        assert container["variables"] == {"GREETING": "hello"}
        assert not any("hello" in call for call in stand_ins.calls), "values do not stand in the command"
        env.reset()
        env.close()
        assert stand_ins.containers == []

    @pytest.mark.parametrize("name", ["PLANTED_API_KEY", "PLANTED_MODEL", "PLANTED_DSN"])
    def test_what_a_container_is_given_is_hidden(
        self, name: str, stand_ins: Docker, caplog: pytest.LogCaptureFixture
    ) -> None:
        """R25: a container that fails and prints its variables shows their values in no error, log or traceback."""
        caplog.set_level("DEBUG")
        value = "postgres://bob:sk-verysecret@db" if name.endswith("DSN") else "sk-verysecret"
        with pytest.raises(ServerStartFailed) as caught:
            GenericEnvClient.from_docker_image("crashing:latest", env_vars={name: value}).sync()
        error = caught.value
        texts = [str(error), repr(error), *error.log, *traceback.format_exception(error), caplog.text]
        assert "sk-verysecret" not in "".join(texts) and name in str(error)

    def test_what_a_provider_says_is_hidden(self, caplog: pytest.LogCaptureFixture) -> None:
        """R25: an object that starts the container may quote its whole command; the values it was given are hidden."""

        class Provider:
            def start_container(self, image: str, env_vars: dict[str, str]) -> str:
                passed = [part for key, value in env_vars.items() for part in ("-e", f"{key}={value}")]
                raise subprocess.CalledProcessError(125, ["docker", "run", *passed, image])

        given = {"API_KEY": "sk-verysecret"}
        with pytest.raises(OpenEnvError) as caught:
            GenericEnvClient.from_docker_image("x", provider=Provider(), env_vars=given).sync()
        texts = [str(caught.value), *traceback.format_exception(caught.value), caplog.text]
        assert "sk-verysecret" not in "".join(texts) and "CalledProcessError" in str(caught.value)

    def test_asyncio_run_takes_it(self, stand_ins: Docker) -> None:
        """asyncio.run() takes what from_docker_image returns, as it is, and gives the asynchronous client."""
        client = asyncio.run(EnvClient.from_docker_image("here:latest"))
        assert client.status == "open"
        client.sync().close()
        assert stand_ins.containers == []

    async def test_a_space_is_started_by_uv(self, stand_ins: Docker, repository: Callable[[Path], str]) -> None:
        """from_env(use_docker=False) serves the project, of a folder or a git address, by uv."""
        client = await GenericEnvClient.from_env(
            "owner/plain", use_docker=False, project_path=repository(PROJECTS / "plain")
        )
        await client.reset()
        assert (await client.step(to=2)).observation.pid != os.getpid()
        await client.close()

    async def test_a_space_is_started_by_docker(self) -> None:
        """from_env() runs the Space's image from the Hub's registry, with the tag that was asked for."""
        fake = Fake()
        client = await EnvClient.from_env("My-Org/echo_env", provider=fake, tag="v2", port=1)
        await client.close()
        assert fake.calls == ["start registry.hf.space/my-org-echo-env:v2 {'port': 1}", "wait", "stop"]

    async def test_awaiting_never_blocks_the_loop(self) -> None:
        """B31: a ticker beside the await ticks at least 70 times while the provider's readiness blocks."""
        ready, ticks = threading.Event(), 0
        fake = Fake(ready)

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1
                if ticks == 70:
                    ready.set()

        ticker = asyncio.create_task(tick())
        client = await EnvClient.from_docker_image("image", provider=fake)
        ticker.cancel()
        assert ticks >= 70
        await client.close()

    def test_what_never_gets_ready_is_stopped_once(self) -> None:
        """A15: a provider whose readiness raises is stopped exactly once, blocking and awaited."""
        for use in (lambda start: start.sync(), asyncio.run):
            fake = Fake(fails=True)
            with pytest.raises(OpenEnvError, match="never became ready"):
                use(EnvClient.from_docker_image("image", provider=fake))
            assert fake.calls == ["start image {}", "wait", "stop"]

    def test_an_interrupted_wait_stops_it_once(self) -> None:
        """A15: an interrupt while the readiness is waited for stops it exactly once."""
        ready = threading.Event()
        fake = Fake(ready, fails=True)
        with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: "wait" in fake.calls):
            EnvClient.from_docker_image("image", provider=fake).sync()
        ready.set()
        eventually(lambda: not [t for t in threading.enumerate() if t.name == "openenv-worker"])
        assert fake.calls == ["start image {}", "wait", "stop"]

    async def test_a_cancelled_start_stops_it_once(self) -> None:
        """A15: cancelling the await stops it exactly once."""
        ready = threading.Event()
        fake = Fake(ready, fails=True)

        async def start() -> Any:
            return await EnvClient.from_docker_image("image", provider=fake)

        task = asyncio.create_task(start())
        await eventually_here(lambda: "wait" in fake.calls)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ready.set()
        eventually(lambda: not [t for t in threading.enumerate() if t.name == "openenv-worker"])
        assert fake.calls.count("stop") == 1

    def test_it_is_used_once(self) -> None:
        """A start that was used is not used again; one that never was starts nothing."""
        fake = Fake()
        start = EnvClient.from_docker_image("image", provider=fake)
        assert repr(start) == "<Starting: await it, or call .sync()>"
        assert fake.calls == []
        start.sync().close()
        with pytest.raises(MisuseError, match="used already"):
            start.sync()
        unused = EnvClient.from_docker_image("image")
        unused.close()

    def test_options_are_told_apart(self) -> None:
        """An unknown option, and what is no Space, are refused before anything starts."""
        with pytest.raises(MisuseError, match="'colour' is neither an option of the start"):
            EnvClient.from_docker_image("image", colour="red")
        with pytest.raises(InvalidTarget, match="owner/name"):
            EnvClient.from_env("localhost:8000")
        client = GenericEnvClient.from_docker_image("image", message_timeout_s=5.0)
        client.close()


def test_signals_of_the_notebook_do_not_reach_it(stand_ins: Docker) -> None:
    """What docker and uv start leads a group of its own, which an interrupt of this process's group does not reach."""
    with serve("docker:here:latest"), serve(f"uv:{PROJECTS / 'plain'}") as server:
        told = ask(server.url)
        assert told["group"] not in (os.getpgrp(), 0)
        os.killpg(told["group"], signal.SIGCONT)
