"""%openenv in a real shell, on the embedded server."""

from __future__ import annotations

import gc
import json
import re
import sys
import warnings
import weakref
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from support.magics import magic
from support.real_servers import RealServer
from support.secret_pins import env_of
from support.sockets import Peer, SocketServer
from support.wire import result_frame

import openenv_notebook
from openenv_notebook import InvalidAction, StepResult, SyncEnvClient, UnknownClient, serve
from openenv_notebook.schema.tool import Tool
from openenv_notebook.servers.running import running_own

MAGICS = ("connect demo:grid --as g", "demo echo --as e", "reset --on g", "state --on g", "status", "close all", "")


def body(shell: InteractiveShell, line: str, cell: str) -> Any:
    """Run the cell magic, its body as IPython hands it over."""
    return shell.run_cell_magic("openenv", line, cell)


def test_an_episode_by_magics(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """Connect, reset, step in every form, state and close return values and say in one line what changed."""
    client = magic(shell, "demo grid")
    assert shell.user_ns["env"] is client
    said = capsys.readouterr().out
    assert said.startswith("openenv: env → grid, http://127.0.0.1:")
    assert said.endswith("· direction: up|down|left|right · next: %openenv reset\n")
    assert isinstance(magic(shell, "reset seed=3"), StepResult)
    assert client.episode[0].action == {"seed": 3}
    shell.user_ns["way"] = "left"
    for line in ("right", '"up"', "direction=down", "direction=$way", "$way", '{"direction": "up"}'):
        assert isinstance(magic(shell, f"step {line}"), StepResult)
    moves = [step.action["direction"] for step in client.episode if step.kind == "step"]
    assert moves == ["right", "up", "down", "left", "left", "up"]
    assert magic(shell, "state").step_count == 6
    capsys.readouterr()
    magic(shell, "")
    assert "* env: open · http://127.0.0.1" in capsys.readouterr().out
    magic(shell, "close")
    assert capsys.readouterr().out == "openenv: env is closed\n"
    assert client.status == "closed"


@pytest.mark.parametrize("text", ['{"x": 1}', "{8}", "{a8}", "$HOME", "{y}", 'echo "hi"', "100%", "{{}}", "a\\nb"])
def test_json_is_not_expanded(shell: InteractiveShell, text: str) -> None:
    """D01, D07: JSON arrives literally, with and without variables of those names, in a line and in an assignment."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    line = f"%openenv step {json.dumps({'message': text})}"
    shell.run_cell(line).raise_error()
    shell.user_ns.update({"y": 5, "HOME": 6, "a8": 7})
    shell.run_cell(f"r = {line}").raise_error()
    assert [step.action for step in shell.user_ns["env"].episode][1:] == [{"message": text}] * 2


def test_a_cell_body_is_text_byte_for_byte(shell: InteractiveShell) -> None:
    """D03: a cell's body is the text of the only required text field, whatever stands in it; --json makes it JSON."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    text = '{"a": "{{}}"}\n\n%d $HOME \\n \'q\' "q" # x ;\n'
    assert body(shell, "", text + "\n").observation.message == text
    assert body(shell, "step --out kept", "two\nlines\n").observation.message == "two\nlines"
    assert shell.user_ns["kept"].observation.length == 9
    assert body(shell, "step --json", '{"message":\n "{x}"}\n').observation.message == "{x}"
    assert body(shell, "--field message", "x").observation.message == "x"


def test_a_name_is_not_taken_from_anything_else(shell: InteractiveShell) -> None:
    """A name that holds no client is refused, an old client of that name is closed, --force takes the name."""
    shell.user_ns["x"] = 3
    with pytest.raises(UsageError, match=r"x holds an object of type int.*--as NAME"):
        magic(shell, "demo echo --as x")
    assert shell.user_ns["x"] == 3
    magic(shell, "demo echo --as x --force")
    first = shell.user_ns["x"]
    magic(shell, "demo grid --as x")
    assert first.status == "closed"
    assert shell.user_ns["x"].status == "open"


def test_on_picks_a_client_and_the_last_connected_is_current(shell: InteractiveShell) -> None:
    """--on NAME works on every verb of a session, else the last connected client is meant."""
    magic(shell, "demo echo --as a")
    magic(shell, "demo echo --as b")
    magic(shell, "reset")
    magic(shell, "reset --on a")
    assert magic(shell, "step hello --on a").observation.message == "hello"
    assert magic(shell, "step there").observation.message == "there"
    assert [client.episode.length for client in (shell.user_ns["a"], shell.user_ns["b"])] == [1, 1]
    with pytest.raises(UnknownClient, match="did you mean"):
        magic(shell, "step x --on aa")


@pytest.mark.parametrize(
    "line",
    [
        "stpe",
        "step",
        "connect",
        "connect a b",
        "connect localhost:1 --timeout x",
        "step {7}",
        "demo nothing",
        "reset [1]",
        "close nobody",
        "step $missing",
        "connect localhost:9 --token-env NO_SUCH_VARIABLE",
        "connect localhost:9 --client nowhere:Class",
        "connect localhost:9 --header broken",
        "connect localhost:9 --ping soon",
        "connect localhost:9 --ping 0",
        "connect localhost:9 --ping nan",
        "connect ftp://x",
    ],
)
def test_a_mistake_is_told_in_a_few_lines(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    """D13, D14: a mistake stops the cell with at most four lines that say what to do, and no frame of this package."""
    result = shell.run_cell(f"%openenv {line}")
    assert result.error_in_exec is not None
    shown = "".join(capsys.readouterr())
    assert 0 < len(shown.strip().splitlines()) <= 4, shown
    assert "openenv_notebook/" not in shown


@pytest.mark.parametrize(("text", "interval"), [("none", None), ("None", None), ("7.5", 7.5)])
def test_the_interval_of_pings(
    shell: InteractiveShell, lab: RealServer, capsys: pytest.CaptureFixture[str], text: str, interval: float | None
) -> None:
    """R28: --ping sets the interval of pings, or none, and stands in the Python that does the same."""
    env = magic(shell, f"connect {lab.url} --ping {text}")
    assert env.endpoint.ping_interval == interval
    capsys.readouterr()
    magic(shell, "python")
    assert f"websocket_ping_interval_s={interval}" in capsys.readouterr().out


def test_a_class_that_is_not_installed_is_no_condition(shell: InteractiveShell) -> None:
    """A25: who names a client class whose package is missing is told in one line that it works without."""
    with pytest.raises(UsageError, match="No module named 'not_there' · without --client results are dicts"):
        magic(shell, "connect localhost:8000 --client not_there:GridEnv")


def test_quoted_values_arrive_whole(shell: InteractiveShell) -> None:
    """D06: an address, a name and headers in quotes keep their blanks: up to the request that a server gets."""

    def script(peer: Peer) -> None:
        peer.prove()
        peer.serve()

    with SocketServer(script) as server:
        line = f'"{server.url}" --as "mine" --header "X-Key: a b" --header X-Other="c d"'
        client = magic(shell, f"connect {line}")
        headers = server.peers[0].read_request().headers
        assert (headers["X-Key"], headers["X-Other"]) == ("a b", "c d")
        assert shell.user_ns["mine"] is client
        client.close()
    with pytest.raises(UsageError, match="'my env' is no name for a variable"):
        magic(shell, 'connect localhost:1 --as "my env"')
    with pytest.raises(openenv_notebook.InvalidTarget, match="'http://h/a b' is not an address: there is a blank"):
        magic(shell, 'connect "http://h/a b"')


def test_a_line_that_is_no_json_sends_nothing(shell: InteractiveShell) -> None:
    """D02: a number in braces is refused, never sent without them, whether or not a variable has that name."""
    env = magic(shell, "demo guess")
    magic(shell, "reset")
    for text in ("{7}", "{guess}", '{"guess": }'):
        shell.user_ns["guess"] = 7
        with pytest.raises(UsageError, match="this is not JSON"):
            magic(shell, f"step {text}")
    assert len(env.episode) == 1


def test_a_secret_is_in_nothing_that_a_cell_shows(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """A password sent by a line stands in no repr, no twin and no saved episode; the environment gets it."""
    seen = []

    def script(peer: Peer) -> None:
        peer.prove()
        while True:
            seen.append(peer.receive())
            peer.say(result_frame({"you_said": seen[-1].get("data")}))

    with SocketServer(script) as server:
        env = magic(shell, f"connect {server.url}")
        magic(shell, "reset seed=1")
        shell.run_cell('r = %openenv step {"login": {"user": "me", "password": "hunter2"}}').raise_error()
        magic(shell, "python")
        magic(shell, "python --all")
        shell.run_cell("print(r, r.observation, env.episode[1])\nr").raise_error()
        shown = capsys.readouterr().out
        env.close()
    assert seen[1]["data"] == {"login": {"user": "me", "password": "hunter2"}}
    assert shell.user_ns["r"].observation.you_said.login.password == "hunter2"
    assert "hunter2" not in shown and "hunter2" not in env.episode.to_jsonl().partition('"result"')[0]
    assert "'password': os.environ['PASSWORD']" in shown and "import os\n" in shown and "••••••" in shown


@pytest.mark.filterwarnings("ignore::openenv_notebook.OpenEnvWarning")
def test_no_magic_returns_an_awaitable(shell: InteractiveShell) -> None:
    """D11, D12: every verb returns a value under a running loop, and %time works over it."""
    import inspect

    for line in MAGICS:
        assert not inspect.isawaitable(magic(shell, line))
    magic(shell, "demo echo")
    shell.run_cell("r = %openenv step hi").raise_error()
    assert shell.user_ns["r"].observation.message == "hi"
    shell.run_cell("%time %openenv step hi").raise_error()
    shell.run_cell("async def f():\n    return 1\nq = await f()\nr = %openenv step ho").raise_error()
    assert shell.user_ns["r"].observation.message == "ho"


def test_a_full_server_is_told_when_connecting(shell: InteractiveShell) -> None:
    """A foreign holder of the only slot makes connect fail at once, with the numbers."""
    with serve("demo:echo", sessions=1) as server, openenv_notebook.connect(server.url):
        with pytest.raises(openenv_notebook.AtCapacity, match="1 of 1"):
            magic(shell, f"connect {server.url}")
        assert "env" not in shell.user_ns


def test_loading_twice_and_unloading_leave_nothing(shell: InteractiveShell) -> None:
    """Load, load again, unload, unload again and load: one magic or none, and no object of ours stays."""
    shell.run_line_magic("load_ext", "openenv_notebook")
    openenv_notebook.load_ipython_extension(shell)
    assert "openenv" in shell.magics_manager.magics["line"]
    # Those of earlier tests may stand in the last error that a shell keeps.
    (loaded,) = [weakref.ref(item) for item in shell.configurables if type(item).__name__ == "OpenEnvMagics"]
    shell.run_line_magic("unload_ext", "openenv_notebook")
    openenv_notebook.unload_ipython_extension(shell)
    assert "openenv" not in shell.magics_manager.magics["line"]
    assert "openenv" not in shell.magics_manager.magics["cell"]
    assert not [item for item in shell.configurables if type(item).__module__.startswith("openenv_notebook")]
    gc.collect()
    assert loaded() is None
    shell.run_line_magic("load_ext", "openenv_notebook")
    shell.run_line_magic("reload_ext", "openenv_notebook")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        magic(shell, "")


@pytest.mark.parametrize("again", ["reload_ext", "unload_ext load_ext", "reload_ext reload_ext"])
def test_what_was_chosen_outlives_the_magics(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], again: str
) -> None:
    """R23: After the extension was loaded again the same client is current, with its field, servers and last Python."""
    env, _ = magic(shell, "demo echo"), magic(shell, "demo echo --as other")
    magic(shell, "serve demo:guess --as g")
    magic(shell, "use env --field message")
    magic(shell, "reset unheard=1")
    for line in again.split():
        shell.run_line_magic(line, "openenv_notebook")
    capsys.readouterr()
    assert body(shell, "", "hello\n").observation.message == "hello"
    assert env.episode[-1].action == {"message": "hello"}
    magic(shell, "reset unheard=1")
    magic(shell, "python")
    magic(shell, "status")
    said = capsys.readouterr().out
    assert "the server's schema" not in said and "env.reset(unheard=1)" in said and "nobody" not in said
    magic(shell, "close all")
    assert "the server of g is stopped" in capsys.readouterr().out
    assert not running_own()


def test_a_connect_that_fails_loses_nothing(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped address leaves the session of that name alone; one that works says that the old one is closed."""
    env = magic(shell, "demo grid")
    magic(shell, "reset")
    with pytest.raises(openenv_notebook.ConnectFailed):
        magic(shell, "connect localhost:1 --timeout 1")
    assert env.status == "open" and shell.user_ns["env"] is env
    capsys.readouterr()
    magic(shell, "demo echo")
    assert "· the earlier env is closed ·" in capsys.readouterr().out
    assert env.status == "closed"


def test_the_same_name_on_a_full_server_is_replaced(shell: InteractiveShell) -> None:
    """On a server with one slot the connect line can be run again and again: the old client gives the slot back."""
    with serve("demo:echo", sessions=1) as server:
        for _ in range(10):
            assert magic(shell, f"connect {server.url}").status == "open"
        assert server.sessions_active == 1


@pytest.mark.parametrize("name", ["class", "print", "a b", "1x"])
def test_names_of_pythons_own_are_not_taken(shell: InteractiveShell, name: str) -> None:
    """--as refuses keywords, builtins and what is no name."""
    with pytest.raises(UsageError, match="name"):
        magic(shell, f'demo echo --as "{name}"')
    assert name not in shell.user_ns


def test_clients_made_in_python_are_seen(shell: InteractiveShell) -> None:
    """Magics drive any client the notebook holds, whoever connected it, also after a reload."""
    shell.run_cell("import openenv_notebook\nmine = openenv_notebook.connect('demo:echo')\nmine.reset()").raise_error()
    assert magic(shell, "step hi").observation.message == "hi"
    magic(shell, "demo grid --as other")
    magic(shell, "use mine")
    assert magic(shell, "step ho").observation.message == "ho"
    shell.run_line_magic("reload_ext", "openenv_notebook")
    assert magic(shell, "step he --on mine").observation.message == "he"
    mine = shell.user_ns.pop("mine")
    with pytest.raises(UnknownClient):
        magic(shell, "step x --on mine")
    mine.close()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("state x", "takes options only"),
        ("status x", "takes options only"),
        ("demo grid extra", "takes one name"),
        ("step message=a message=b", "given twice"),
        ("reset seed=3, x=4", "separated by blanks"),
        ("step message = hi", "blanks stand around the ="),
        ('step {"message": "a", "message": "b"}', "given twice"),
        ("step other={x}", "this is not JSON: '{x}', at character 2"),
        ("step other=[1]2", "this is not JSON: .*'2' is too much"),
        ("step $x y=3", "FIELD=\\$name"),
    ],
)
def test_nothing_typed_is_dropped_silently(shell: InteractiveShell, line: str, says: str) -> None:
    """What a line says too much, twice or spread out is refused in words, and nothing is sent."""
    env = magic(shell, "demo echo")
    magic(shell, "reset")
    with pytest.raises(UsageError, match=says):
        magic(shell, line)
    assert len(env.episode) == 1


@pytest.mark.parametrize("text", ["{x}", "[1, 2]", '{"a": 1}', "{a b}", "{"])
def test_a_text_field_takes_what_looks_like_json(shell: InteractiveShell, text: str) -> None:
    """A text field takes the characters that were typed, also where they begin as JSON does."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    assert magic(shell, f"step message={text}").observation.message == text


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ("step $foo.bar", "e.step(message=foo.bar)"),
        ("step message=$foo.bar[0]", "e.step(message=foo.bar[0])"),
        ("step message=$foo.bar n=3 o=$x", "e.step(message=foo.bar, n=3, o=x)"),
        ("reset seed=$foo.bar", "e.reset(seed=foo.bar)"),
        ("reset $foo.bar", "e.reset(**foo.bar)"),
    ],
)
def test_an_expression_is_told_as_python(shell: InteractiveShell, line: str, python: str) -> None:
    """What only Python can evaluate is refused with the call that does it: the client, the verb and the field."""
    env = magic(shell, "demo echo --as e")
    magic(shell, "reset")
    with pytest.raises(UsageError, match=re.escape(f"write it in Python: {python}") + "$"):
        magic(shell, line)
    assert len(env.episode) == 1


@pytest.mark.parametrize(
    "end", ["", "# it's (", "\n'shown'", "\n%openenv step right;", "\nfor i in '12':\n    %openenv step up;"]
)
def test_a_semicolon_silences_and_loses_nothing(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    """A line that ends in ; returns its value and displays none, and what else the cell displays is displayed."""
    magic(shell, "demo grid")
    magic(shell, "reset")
    shell.run_cell(f"r = %openenv step down;{end}").raise_error()
    assert isinstance(shell.user_ns["r"], StepResult)
    shown = capsys.readouterr().out
    assert ("shown" in shown) == ("shown" in end)
    assert "step" not in shown and shell.user_ns["r"] not in shell.user_ns["Out"].values()
    display = sys.displayhook
    shell.run_cell("%openenv step right;  # quiet").raise_error()
    shell.run_cell("%%openenv step;\nleft\n").raise_error()
    assert capsys.readouterr().out == ""
    shell.run_cell("r = %openenv step left;\nr").raise_error()
    assert shell.user_ns["_"] is shell.user_ns["r"]
    assert sys.displayhook is display


@pytest.mark.parametrize("text", ["it's (", "int x;", "{", '"' * 3, "a\n  b\n c"])
def test_a_text_that_is_no_python_gives_its_result(shell: InteractiveShell, text: str) -> None:
    """A body and a line that Python cannot read are stepped with, and the value is returned, as for any other."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    assert body(shell, "step", f"{text}\n").observation.message == text
    if "\n" not in text and not text.endswith(";"):
        assert magic(shell, f"step message={json.dumps(text)}").observation.message == text


@pytest.mark.parametrize(
    "verb", ["state", "reset", "status", "schema", "help step", "help", "step --help", "close", ""]
)
def test_a_semicolon_is_no_part_of_the_verb(shell: InteractiveShell, verb: str) -> None:
    """A verb that is directly followed by ; is that verb."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    magic(shell, f"{verb};")
    if verb != "close":
        assert body(shell, "step;", "hi\n").observation.message == "hi"


@pytest.mark.parametrize(
    ("name", "says"), [("class", "'class' is no name"), ("1x", "'1x' is no name"), ("env", "env holds an open client")]
)
def test_where_a_value_goes_is_checked_first(shell: InteractiveShell, name: str, says: str) -> None:
    """--out with what is no name, or names an open client, is refused before anything is done."""
    env = magic(shell, "demo echo")
    magic(shell, "reset")
    for line in ("step hi", "reset", "state"):
        with pytest.raises(UsageError, match=says):
            magic(shell, f"{line} --out {name}")
    with pytest.raises(UsageError, match=says):
        body(shell, f"step --out {name}", "hi\n")
    assert len(env.episode) == 1 and shell.user_ns["env"] is env
    assert magic(shell, "demo echo --as other --out other") is shell.user_ns["other"]


def test_a_comment_is_no_verb(shell: InteractiveShell) -> None:
    """A cell whose first line holds a comment only is a step with the cell's body."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    assert body(shell, "# a note", "hi\n").observation.message == "hi"
    assert body(shell, "step # a note", "ho\n").observation.message == "ho"


def test_every_line_of_a_body_is_sent(shell: InteractiveShell) -> None:
    """R20: A comment in a cell's body hides nothing behind it; a body of text is sent with what looks like one."""
    client = magic(shell, "demo guess")
    magic(shell, "reset")
    for cell in ('# my guess\n{"guess": 7}\n', "# my guess\n\nguess=7 # a first try\n", "# one\n7 # two\n# three\n"):
        body(shell, "step --json", cell)
        assert client.episode[-1].action == {"guess": 7}
    magic(shell, "demo echo")
    magic(shell, "reset")
    assert body(shell, "", "# a\nb # c\n").observation.message == "# a\nb # c"


@pytest.mark.parametrize("line", ["", "step", "step --json", "--field message", "--field message --json"])
@pytest.mark.parametrize("cell", ["", "\n", " \n\t\n", "\r\n", "\u00a0\n"])
def test_a_blank_body_is_refused(shell: InteractiveShell, line: str, cell: str) -> None:
    """R20: A body that holds nothing is no step, whatever its field takes: it says so, and how to send that."""
    client = magic(shell, "demo echo")
    magic(shell, "reset")
    with pytest.raises(UsageError, match=r"body is blank, and nothing is sent|body is empty"):
        body(shell, line, cell)
    assert [step.kind for step in client.episode] == ["reset"]
    if "--json" in line:
        with pytest.raises(UsageError, match="comments alone"):
            body(shell, line, "# later\n\n# {}\n")
    assert magic(shell, 'step message=""').observation.message == ""


def test_tools_are_completed(shell: InteractiveShell) -> None:
    """Tab behind NAME.tools. offers the tools that are known, also where jedi looks at annotations only."""
    magic(shell, "demo echo --as e")
    shell.user_ns["e"].known.tools = [Tool(name="add", input_schema={}), Tool(name="echo_message", input_schema={})]
    for text, names in (("e.tools.", ["add", "echo_message"]), ("x = e.tools.e", ["echo_message"])):
        with provisionalcompleter():
            found = [item.text.rpartition(".")[2] for item in shell.Completer.completions(text, len(text))]
        assert found == names


def test_help_is_where_people_look_for_it(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """help, --help, VERB --help and the docstring show the manual; every example in it is a verb that exists."""
    for line in ("help", "--help", "help help", "help step", "step --help"):
        magic(shell, line)
        assert "%openenv step right" in capsys.readouterr().out
    from openenv_notebook.jupyter.magic.verbs import VERBS

    magic(shell, "help step")
    assert 'in "double quotes"' in capsys.readouterr().out
    magic(shell, "help call")
    assert "a tool of the official echo environment" in capsys.readouterr().out
    manual = shell.magics_manager.magics["line"]["openenv"].__doc__
    for verb in VERBS.values():
        assert f"%openenv {verb.examples[0]}" in manual
        assert all(example.split()[0] == verb.name for example in verb.examples)


def test_the_python_of_an_episode_runs(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """%openenv python prints the twin of the last line; --all prints a script that makes the same steps again."""
    magic(shell, "demo grid")
    magic(shell, "reset seed=3")
    magic(shell, "step down")
    with pytest.raises(InvalidAction):
        magic(shell, "step sideways")
    magic(shell, "step right")
    capsys.readouterr()
    magic(shell, "python")
    assert capsys.readouterr().out == "env.step('right')\n"
    magic(shell, "python --all")
    script = capsys.readouterr().out
    assert "\nenv = openenv_notebook.connect('demo:grid')\n" in script
    magic(shell, "close")
    space: dict[str, Any] = {}
    exec(script, space)
    with space["env"] as again:
        assert [step.action for step in again.episode] == [{"seed": 3}, {"direction": "down"}, {"direction": "right"}]


def test_two_names_of_a_client_are_one_client(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """`x = %openenv demo grid --as g` is told as one session, and closed as one."""
    shell.run_cell("x = %openenv demo grid --as g").raise_error()
    capsys.readouterr()
    magic(shell, "status")
    said = capsys.readouterr().out
    assert "* g: open · http" in said and "\n  x: the same as g\n" in said
    magic(shell, "close all")
    assert capsys.readouterr().out == "openenv: g is closed\n"
    magic(shell, "stop all")
    assert capsys.readouterr().out == "openenv: no server runs that serve started\n"


def test_the_second_name_of_a_client_may_be_the_current_one(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """The star stands at the name that is current, also where another one is the client's first."""
    shell.run_cell("x = %openenv demo grid --as g").raise_error()
    magic(shell, "use x")
    capsys.readouterr()
    magic(shell, "status")
    said = capsys.readouterr().out
    assert "  g: open · http" in said and "\n* x: the same as g\n" in said


def test_a_client_object_of_another_package_is_listed(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """status, call and python --all work beside a foreign client, and say what it lacks."""

    class Foreign:
        """A client object as the official package makes it."""

        base_url = "http://localhost:1"

        async def connect(self) -> None: ...
        async def reset(self) -> None: ...
        async def step(self, action: object) -> None: ...
        async def close(self) -> None: ...

        async def list_tools(self, use_cache: bool = True) -> list[Tool]:
            return [Tool(name="echo")]

        async def call_tool(self, name: str, **arguments: object) -> object:
            return arguments

    shell.user_ns["foreign"] = SyncEnvClient(async_client=Foreign())
    magic(shell, "status")
    assert "foreign: new · http://localhost:1 · only our own clients keep a record" in capsys.readouterr().out
    with pytest.raises(openenv_notebook.NotSupportedHere):
        magic(shell, "python --all")
    assert magic(shell, "call echo message=hi") == {"message": "hi"}
    shell.user_ns["foreign"].close()


def test_lines_hide_what_the_client_s_own_server_marks(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Python of a line reads a PIN from the environment where that server marks it, and holds it elsewhere."""
    envs = {"hiding": env_of(is_secret=True), "showing": env_of(is_secret=False)}
    shell.user_ns.update(envs)
    for name, is_told in (("hiding", False), ("showing", True)):
        for line in ("reset pin=s3cret-pin", "step pin=s3cret-pin", "call open pin=s3cret-pin"):
            magic(shell, f"{line} --on {name}")
            magic(shell, "python")
            said = capsys.readouterr().out
            assert ("s3cret-pin" in said, "os.environ['PIN']" in said) == (is_told, not is_told), line
        with pytest.raises(UsageError) as refused:
            magic(shell, f"step pin=s3cret-pin user=$a.b --on {name}")
        assert ("s3cret-pin" in str(refused.value)) is is_told
    for env in envs.values():
        env.close()


@pytest.mark.parametrize("line", ["connect demo:grid --as b", "demo echo --as b", "serve demo:echo --as b"])
def test_out_is_checked_before_anything_is_opened(shell: InteractiveShell, line: str) -> None:
    """--out with the name of another open client is refused, and nothing was connected or served."""
    env = magic(shell, "demo grid")
    with pytest.raises(UsageError, match="env holds an open client"):
        magic(shell, f"{line} --out env")
    assert shell.user_ns["env"] is env and "b" not in shell.user_ns and not running_own()
    assert magic(shell, f"{line} --out b") is shell.user_ns["b"]
    magic(shell, "close all")


def test_an_unknown_policy_is_told_by_the_name_that_was_written(shell: InteractiveShell) -> None:
    """--policy NAME of no function says so, with the nearest function."""
    magic(shell, "demo grid")
    shell.user_ns["agent"] = lambda observation: "up"
    with pytest.raises(
        UsageError, match=r"takes the name of a function; there is no 'agnt' here; did you mean 'agent'\?"
    ):
        magic(shell, "panel --policy agnt")


@pytest.mark.parametrize("line", ["nosuch", "help nosuch"])
def test_an_unknown_verb_is_told_all_there_are(shell: InteractiveShell, line: str) -> None:
    """A verb that there is not names those there are, also after help."""
    with pytest.raises(UsageError, match=r"'nosuch' is no verb of %openenv \(verbs: .*connect, .*help\)$"):
        magic(shell, line)


def test_debug_shows_every_frame_and_hides_them_again(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """%openenv debug on shows the frames of this package in a traceback, off hides them."""
    magic(shell, "debug on")
    shell.run_cell("%openenv connect localhost:1")
    assert "connect.py" in "".join(capsys.readouterr())
    magic(shell, "debug off")
    shell.run_cell("%openenv connect localhost:1")
    assert "connect.py" not in "".join(capsys.readouterr())


def test_the_doctor_looks_at_everything(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """The doctor reports kernel, loop, widgets, network, threads and the current server, each with a level."""
    with serve("demo:echo") as server:
        magic(shell, f"connect {server.url}")
        capsys.readouterr()
        magic(shell, "doctor")
        report = capsys.readouterr().out
        for part in (
            "IPython",
            "event loop",
            "asyncio is not patched",
            "proxy",
            "port:",
            "health: healthy",
            "session: open",
        ):
            assert part in report
        assert "wrong" not in report
    magic(shell, "doctor")
    assert "wrong" in capsys.readouterr().out


def test_a_remembered_field_belongs_to_its_environment(shell: InteractiveShell) -> None:
    """Another environment under the same name does not get the field that was remembered for the one before."""
    magic(shell, "demo echo --as one")
    magic(shell, "use one --field message")
    magic(shell, "reset --on one")
    assert body(shell, "--on one", '{"message": "as text"}\n').observation.message == '{"message": "as text"}'
    magic(shell, "demo guess --as one")
    magic(shell, "reset --on one")
    assert body(shell, "--on one", '{"guess": 7}\n').observation.history == [7]
