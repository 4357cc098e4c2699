"""Starts a server as a child of this process."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Callable, Mapping

from ._error import Error, UnknownOption, of_caller
from ._server import Server

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import StartOptions

__tracebackhide__ = True

#: How long a server may take to end, in seconds.
STOP_SECONDS = 5.0
# The most lines that are shown of what a server said.
SHOWN_LINES = 20
_PREFIX = "CHATDOUBLE_"
_DEFAULTS = {"port": 0, "log": "warn"}

_started: weakref.WeakSet[subprocess.Popen[str]] = weakref.WeakSet()


def binary() -> str:
    """The path of the program: CHATDOUBLE_BINARY if set, otherwise the one installed with this package."""
    chosen = os.environ.get("CHATDOUBLE_BINARY")
    if chosen:
        return chosen
    name = "chatdouble.exe" if sys.platform == "win32" else "chatdouble"
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    with contextlib.suppress(KeyError):
        folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    for folder in folders:
        if (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    found = shutil.which(name)
    if found is None:
        raise Error("there is no program 'chatdouble': install the wheel of this platform, or set CHATDOUBLE_BINARY")
    return found


def command_line(options: dict[str, Any]) -> list[str]:
    """The command line of `serve` with these options."""
    line: list[str] = []
    for name, value in {**_DEFAULTS, **options}.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False or name == "control_token":
            continue
        if value is True:
            line.append(option)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        line += [f"{option}={_text(one)}" for one in values]
    return line


@of_caller
def start_server(**given: Unpack[StartOptions]) -> Server:
    """Starts a server that ends with this process, however the process ends.

    Options are those of `chatdouble serve` in snake case (`chatdouble.types.StartOptions`): clock, fixture,
    feature_level, dialect, seed, port (a free one by default), control_token, tls and so on.
    """
    options: dict[str, Any] = {**given}
    with contextlib.ExitStack() as stack:
        ca_file = options.get("tls_ca_file")
        if options.get("tls") and ca_file is None:
            ca_file = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "ca.pem")
            options["tls_ca_file"] = ca_file
        kept = stack.enter_context(contextlib.ExitStack())
        errors = kept.enter_context(tempfile.TemporaryFile())
        token = options.get("control_token") or os.environ.get("CHATDOUBLE_CONTROL_TOKEN")
        environment = {**os.environ, **({"CHATDOUBLE_CONTROL_TOKEN": token} if token else {})}
        command = [binary(), "serve", "--exit-with-stdin", *command_line(options)]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
                # Ctrl-C in a terminal reaches all of a session: the tests must end before the server does.
                start_new_session=True,
            )
        except OSError as error:
            raise Error(f"chatdouble can't be started: {error}{_source_of_program()}")
        _started.add(process)
        url = _ready(process)
        if url is None:
            status = process.wait()
            _close(process)
            message = _failure(_text_of(errors), status, command[0], options)
            kind = UnknownOption if message.startswith("unexpected argument") else Error
            raise kind(message)
        tls_ca = Path(ca_file).read_text() if ca_file and url.startswith("https:") else None
        server = Server(url, token, tls_ca=tls_ca, stop=lambda: _stop(process, errors))
        server.pid = process.pid
        server._requests.describe_end = lambda: _end_of(process)
        kept.pop_all()
        return server


def _failure(said: str, status: int, program: str, options: dict[str, Any]) -> str:
    """Why a server did not start, with the variable that is to blame if one is."""
    whole = said.strip()
    text = whole.removeprefix("error: ")
    if not text:
        return f"{program} ended with status {status} before it was ready{_source_of_program()}"
    if text == whole:
        # Another program has been named.
        return f"{program} ended with status {status} before it was ready, and says: {text}{_source_of_program()}"
    # A program of another version lacks options that this package always gives.
    if text.startswith("unexpected argument '--exit-with-stdin'"):
        text += _source_of_program()
    given = {**_DEFAULTS, **options}
    variables = {
        name[len(_PREFIX) :].lower(): (name, value) for name, value in os.environ.items() if name.startswith(_PREFIX)
    }
    return with_source(text, {one: value for one, value in variables.items() if one not in given})


def with_source(text: str, options: Mapping[str, tuple[str, str]]) -> str:
    """A message, with the place from which the option came that it is about, if it is one of these."""
    for option, (place, value) in options.items():
        is_named = re.search(rf"--{option.replace('_', '-')}(?![\w-])", text) is not None
        # Only names of files and fixtures are shown without their option.
        is_shown = text.startswith(f"{value}: ") or (len(value) > 1 and "/" in value and value in text)
        if is_named or (option not in ("control_token", "binary") and is_shown):
            return f"{text} (from {place})"
    return text


def _source_of_program() -> str:
    return " (from CHATDOUBLE_BINARY)" if os.environ.get("CHATDOUBLE_BINARY") else ""


def _text_of(errors: IO[bytes]) -> str:
    """What a server that has ended wrote on standard error."""
    errors.seek(0)
    return errors.read().decode(errors="replace")


def _print(lines: list[str]) -> None:
    print(*(f"chatdouble: {line}" for line in lines), sep="\n", file=sys.stderr)


#: What takes the lines that a server wrote while it ran; the last one does.
listeners: list[Callable[[list[str]], None]] = [_print]


def _tell(said: str) -> None:
    """Tells what a server said while it ran, without times and places in its source."""
    lines = [re.sub(r"^\S+Z +(?:[A-Z]+ )[\w:]+: ", "", line) for line in said.splitlines() if line.strip()]
    if lines:
        listeners[-1](lines[-SHOWN_LINES:])


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        # A time without a zone is one of UTC on every machine.
        zoned = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return zoned.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    return str(value)


def _ready(process: subprocess.Popen[str]) -> str | None:
    """The base URL that a server prints when it is ready to answer; None if it ends before that."""
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"listening on (https?://\S+)", line)
        if found:
            return found[1]
    return None


def _end_of(process: subprocess.Popen[str]) -> str:
    """How a server ended that no longer answers; nothing if it still runs."""
    # It may have closed its sockets a moment before it ends.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.2)
    status = process.returncode
    if status is None:
        return ""
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    return f" (the server, process {process.pid}, {how})"


def _stop(process: subprocess.Popen[str], errors: IO[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        status = process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    _close(process)
    if not errors.closed:
        said = _text_of(errors)
        errors.close()
        _tell(said)
    if status == 3:
        raise Error("an invariant of a world was broken: this run proves nothing")


def _close(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _let_go() -> None:
    # A forked child must not keep the server alive after the process that started it has ended.
    for process in _started:
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                os.close(process.stdin.fileno())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
