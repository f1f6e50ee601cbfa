"""Behaves as ``uv run --isolated --project FOLDER -- COMMAND`` does: builds, then runs the command as a child."""

import signal
import subprocess
import sys

verb, isolated, flag, project, dashes, program, *rest = sys.argv[1:]
assert (verb, isolated, flag, dashes, program) == ("run", "--isolated", "--project", "--", "python"), sys.argv
if "unresolvable" in project:
    print(
        "  × No solution found when resolving dependencies:\n"
        "  ╰─▶ Because nosuch was not found in the package registry and your project depends on nosuch,\n"
        "      we can conclude that your project's requirements are unsatisfiable.",
        file=sys.stderr,
    )
    sys.exit(1)
print("Installed 2 packages in 4ms", file=sys.stderr, flush=True)
child = subprocess.Popen([sys.executable, *rest])
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.exit(child.wait())
