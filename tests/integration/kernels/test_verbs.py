"""Every verb of a session, typed by a person into a real kernel, on real servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.gates import FileGate
from support.kernels import Kernel, Outputs, started
from support.real_servers import Farm

pytestmark = [pytest.mark.kernel, pytest.mark.server]

# Braces, dollars, quotes, percent signs, comments, semicolons, backslashes and blank lines.
HOSTILE = '{"a": "{{}}"}\n\nprint("%d" % $HOME)  # x ;\n\'q\' {here} \\n'


@pytest.fixture(scope="module")
def notebook() -> Iterator[Kernel]:
    """One kernel with the extension loaded, for all tests of this file."""
    with started() as running:
        running.ok("%load_ext openenv_notebook")
        yield running
        running.ok("%openenv close all")


def type_in(kernel: Kernel, line: str) -> Outputs:
    """Type a line of %openenv that must work."""
    return kernel.ok(f"%openenv {line}")


def refused(kernel: Kernel, code: str) -> str:
    """Type a cell that must fail; returns what is shown of it, which is at most four lines and no frame."""
    outputs = kernel.run(code)
    assert outputs.status == "error", f"{code} did not fail: {outputs}"
    shown = "\n".join([*outputs.traceback, outputs.stderr]).strip()
    assert 0 < len(shown.splitlines()) <= 4, shown
    assert "openenv_notebook" not in shown and "Traceback" not in shown, shown
    return shown


def test_a_board_game_from_connect_to_done(notebook: Kernel, any_farm: Farm) -> None:
    """connect, schema, reset, step in each form, state, status and python show what a player needs, on one line each.

    A19: a seed and a game typed at reset arrive as int and as text; once it is said that the schema names no game.
    """
    with any_farm.server("board") as server:
        connected = type_in(notebook, f"connect {server.url} --as board")
        said = f"openenv: board → Board, {server.url} · column: int · next: %openenv reset\n"
        assert connected.stdout == said
        assert connected.result is not None and "open" in connected.result
        fields = type_in(notebook, "schema").result or ""
        assert "column    int     yes" in fields and "where to drop a piece" in fields
        told = notebook.ok("first = %openenv reset --seed 7 game=pong").stdout
        assert (
            told
            == "openenv: the server's schema does not name game; where its reset takes no such thing it is ignored\n"
        )
        assert notebook.ok("print(dict(first.observation.asked))").stdout == "{'seed': 'int 7', 'game': 'str pong'}\n"
        again = type_in(notebook, "reset seed=3 game=pong")
        assert again.stdout == "" and "seed int 3  ·  game str pong" in (again.result or "")
        assert "--seed takes a whole number, not 'x'" in refused(notebook, "%openenv reset --seed x")
        assert "seed is given twice" in refused(notebook, "%openenv reset --seed 7 seed=8")
        assert "a field is written game=VALUE" in refused(notebook, "%openenv reset --game pong")
        assert notebook.ok("print(len(board.episodes))").stdout == "2\n"
        one = type_in(notebook, "step column=1")
        assert one.stdout == "" and "reward +1  ·  done no" in (one.result or "")
        assert "[0, 1, 0, 0]" in (one.result or "")
        notebook.ok("a = 2")
        assert "[0, 1, 1, 0]" in (type_in(notebook, "step $a").result or "")
        type_in(notebook, "step column=$a")
        assert type_in(notebook, "").stdout == (
            f"* board: open · {server.url} · episode 2 open, 3 steps, return 3\nnext: %openenv step …\n"
        )
        last = type_in(notebook, 'step {"column": 0} --out last')
        assert last.stdout == "openenv: done · return 4 · 4 steps\n"
        assert notebook.ok("print(last.done, last.reward)").stdout == "True 1.0\n"
        assert type_in(notebook, "python").stdout == "board.step({'column': 0})\n"
        assert "step_count  4" in (type_in(notebook, "state").result or "")
        script = type_in(notebook, "python --all").stdout
        assert script.splitlines()[2:5] == [
            f"board = openenv_notebook.connect({server.url!r})",
            "board.reset(seed=3, game='pong')",
            "board.step(column=1)",
        ]
        told = type_in(notebook, "status").stdout
        assert f"* board: open · {server.url} · episode 2 done, 4 steps, return 4\nnext: %openenv reset\n" in told
        assert "threads: openenv-loop" in told
        over = notebook.run("%openenv step 1")
        assert over.stderr.splitlines()[0].endswith(
            ":1: OpenEnvWarning: episode 2 is over (done): reset() begins a new one"
        )
        assert "openenv_notebook" not in over.stderr and len(over.stderr.splitlines()) <= 2
        assert type_in(notebook, "close").stdout == "openenv: board is closed\n"


def test_mistakes_in_a_board_game_are_told_in_a_line(notebook: Kernel, any_farm: Farm) -> None:
    """A field out of bounds, a misspelt one, a refused move and grammar that is none say what to do, in a few lines."""
    with any_farm.server("board") as server:
        type_in(notebook, f"connect {server.url} --as board")
        type_in(notebook, "reset")
        assert "column: Input should be less than 4 (got 9)" in refused(notebook, "%openenv step column=9")
        assert "did you mean 'column'?" in refused(notebook, "%openenv step colunm=1")
        assert "not JSON: '{7}', at character 2" in refused(notebook, "%openenv step {7}")
        assert "$missing is no variable of this notebook" in refused(notebook, "%openenv step $missing")
        notebook.ok("%openenv step 1\n%openenv step 1")
        full = refused(notebook, "%openenv step 1")
        assert full.startswith("EnvironmentFailed: the environment failed: column 1 is full · ")
        assert "did you mean 'reset'?" in refused(notebook, "%openenv rest")
        assert "did you mean 'help'?" in refused(notebook, "%openenv hlep")
        assert type_in(notebook, "step 2").result is not None, "nothing of it has touched the session"
        type_in(notebook, "close board")


def test_tools_are_listed_and_called(notebook: Kernel, any_farm: Farm) -> None:
    """tools shows a table; call takes pairs, JSON and one bare value, gives the tool's value, and tells its failure."""
    with any_farm.server("toolbox") as server:
        type_in(notebook, f"connect {server.url} --as tools")
        type_in(notebook, "reset")
        table = type_in(notebook, "tools").result or ""
        assert "echo_message  message: text    Echo back the message." in table
        assert "add           a: int, b: int?  Add two numbers." in table
        assert type_in(notebook, "call echo_message message=hello").result == "'hello'"
        assert type_in(notebook, "call echo_message two words").result == "'two words'"
        assert type_in(notebook, 'call echo_message {"message": "{x} $y"}').result == "'{x} $y'"
        assert type_in(notebook, "call echo_message message={x}").result == "'{x}'"
        told = refused(notebook, "%openenv call echo_message message=$msg.x")
        assert told.endswith("write it in Python: tools.call_tool('echo_message', message=msg.x)")
        told = refused(notebook, "%openenv call echo_message $msg.x")
        assert told.endswith("write it in Python: tools.call_tool('echo_message', message=msg.x)")
        found = notebook.ask("complete", "tools.tools.e")["matches"]
        assert [name.rpartition(".")[2] for name in found] == ["echo_message"]
        assert type_in(notebook, "call echo_message message=hello;").result is None
        assert notebook.ok("r = %openenv call echo_message message=hello;\nr").result == "'hello'"
        type_in(notebook, "call --on tools add a=3 b=4 --out both")
        assert notebook.ok("print(both['sum'])").stdout == "7\n"
        assert type_in(notebook, "python").stdout == "tools.call_tool('add', a=3, b=4)\n"
        failed = refused(notebook, "%openenv call fail reason=why")
        assert failed.startswith("ToolFailed: the tool 'fail' failed") and "why" in failed
        unknown = refused(notebook, "%openenv call ad a=1")
        assert unknown == "UsageError: no tool 'ad'; did you mean 'add'? (tools: echo_message, add, fail)"
        type_in(notebook, "close tools")


def test_a_cells_body_arrives_byte_for_byte(notebook: Kernel, any_farm: Farm) -> None:
    """D03: the body is the text of --field, of the only required text field, of the remembered field, or JSON."""
    with any_farm.server("lab") as lab, any_farm.server("script") as script:
        type_in(notebook, f"connect {lab.url} --as lab")
        type_in(notebook, f"connect {script.url} --as script")
        type_in(notebook, "reset --on lab")
        type_in(notebook, "reset --on script")
        notebook.ok(f"text = {HOSTILE!r}\nhere = HOME = 5")
        notebook.ok(f"%%openenv step --on lab --out plain\n{HOSTILE}")
        assert notebook.ok("print(plain.observation.op == text)").stdout == "True\n"
        notebook.ok(f"%%openenv --field code --out named\n{HOSTILE}\n\n")
        assert notebook.ok("print(named.observation.code == text + '\\n')").stdout == "True\n"
        notebook.ok('%%openenv --on lab --json --out read\n{"op": "{here}",\n "value": {"$HOME": [1, 2]}}')
        assert notebook.ok("print(read.observation.op, read.observation.value)").stdout == "{here} {'$HOME': [1, 2]}\n"
        notebook.ok('%%openenv --out json\n{"note": "a {here}"}')
        assert notebook.ok("print(json.observation.note)").stdout == "a {here}\n"
        assert "--field" in refused(notebook, "%%openenv\nnot JSON at all")
        used = type_in(notebook, "use script --field note").stdout
        assert used == "openenv: script is current · %%openenv sends the cell's body as note\n"
        notebook.ok('%%openenv --out kept\n{"note": 1}')
        assert notebook.ok("print(kept.observation.note)").stdout == '{"note": 1}\n'
        assert "takes no cell's body" in refused(notebook, "%%openenv reset\nx")
        assert type_in(notebook, "close all").stdout == "openenv: lab is closed\nopenenv: script is closed\n"


def test_a_slow_and_failing_server(notebook: Kernel, any_farm: Farm, far_gate: FileGate) -> None:
    """A step that is late is owed and said so, a failing one is told; a lost session says reset, until it works."""
    with any_farm.server("lab") as server:
        type_in(notebook, f"connect {server.url} --as lab")
        type_in(notebook, "reset")
        failed = refused(notebook, "%openenv step op=raise")
        assert failed.startswith("EnvironmentFailed: the environment failed: the lab exploded · ")
        late = refused(notebook, f"%openenv step op=slow gate={far_gate.path} tag=late --timeout 0.3")
        assert late.startswith("ReplyTimeout: no reply to step() within 0.3 s") and "the reply is owed" in late
        assert "· 1 reply owed, " in type_in(notebook, "status").stdout
        far_gate.open()
        after = notebook.ok("r = %openenv step op=next tag=after\nprint(r.observation.tag, lab.owed)")
        assert after.stdout == "after 0\n"
        lost = refused(notebook, "%openenv step op=exit")
        assert lost.startswith("SessionLost: the session was lost (code 1006)") and "call reset()" in lost
        assert refused(notebook, "%openenv state") == lost
        assert "* lab: lost · " in type_in(notebook, "").stdout
        report = type_in(notebook, "doctor").stdout
        assert "look here  client lab: lost" in report
        assert f"wrong      port: {server.port} is not open" in report and "→ is the server running?" in report
        assert "nothing listens at 127.0.0.1" in refused(notebook, "%openenv reset")
    with any_farm.server("lab", port=server.port):
        again = notebook.run("%openenv reset")
        assert again.stderr == f"openenv: a new session was opened on {server.url}; the lost episode is over\n"
        assert "reset" in (again.result or "")
        report = type_in(notebook, "doctor").stdout
        assert f"port: {server.port} is open" in report and "session: open" in report and "wrong" not in report
        type_in(notebook, "close lab")
