"""The program: it finds the command, runs it, and reports every error as one line and an exit status."""

from __future__ import annotations

import ast
import os
import pkgutil
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import metameter.cli.commands
import metameter.meta
from metameter import __version__
from metameter.cli.process import INTERRUPTED
from metameter.cli.streams import remark, say, set_up
from metameter.distributions import entry_points
from metameter.errors import MetameterError, did_you_mean
from metameter.notices import WaitingWarning, on_command_line
from metameter.plugin_files import load_plugin_file, plugin_modules
from metameter.read.files.limits import memory_left
from metameter.registry import get, registered_by

_HELP = "Compose, compute and judge effectiveness metrics for ranked retrieval: which ruler can you trust?"
_PLUGIN = "--plugin"
# Longer lines are hard to read.
_WIDEST_HELP = 120
#: With fewer bytes left of a limit (``ulimit -v``), an error in loading or starting something means lack of memory.
_SHORT = 1_000_000_000
_NO_MEMORY = "not enough memory. Score fewer metrics at a time, or with fewer --jobs; or allow this process more."


def run(arguments: Sequence[str], ready: Callable[[], None] = lambda: None) -> int:
    """Run a command; the return value is the exit status: 0 done, 2 bad input or usage, 130 interrupted.

    Parameters
    ----------
    arguments : list of str
        The command-line arguments after the name of the program.
    ready : callable
        Called once the command is imported, before its work.

    Examples
    --------
    >>> run(["metrics", "--kind", "aggregate", "--format", "csv"])  # doctest: +ELLIPSIS
    kind,name,...
    0
    """
    set_up()
    arguments = list(arguments)
    notices: list[str] = []

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if issubclass(category, WaitingWarning):
            remark(f"notice: {message}")
        else:
            notices.append(str(message))

    with warnings.catch_warnings(), on_command_line():
        warnings.showwarning = show
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # for developers, as in any program
        try:
            arguments = _with_plugins_loaded(arguments)
            app = program(arguments)
            with app.make_context("metameter", list(arguments)) as context:
                ready()
                app.invoke(context)
        except click.exceptions.Exit:
            pass  # --help and --version
        except BaseException as error:
            if isinstance(error, MetameterError) and error.after_answer:
                _remark_notices(notices)
            return _exit_status(error)
    _remark_notices(notices)
    return 0


def _exit_status(error: BaseException) -> int:
    """Report the error being handled in one line; an unexpected error is raised again."""
    match error:
        case MetameterError():
            return _fail(str(error))
        case click.ClickException():
            return _fail(_usage(error.format_message()))
        case KeyboardInterrupt():
            say("interrupted")
            return INTERRUPTED
        case BrokenPipeError():
            # The reader has closed the pipe (`| head`): no error, and nothing more can be written there.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case OSError():
            return _fail(_system(error))
    if isinstance(error, MemoryError) or _lacks_memory(error):
        return _fail(_NO_MEMORY)
    raise error


def _remark_notices(notices: Sequence[str]) -> None:
    for each in dict.fromkeys(notices):
        remark(f"notice: {each}")


def _lacks_memory(error: BaseException) -> bool:
    """Whether an error of a library means that this process has reached its limit of memory."""
    panic = type(error).__name__ == "PanicException"
    return (panic or isinstance(error, ImportError | NameError | RuntimeError)) and memory_left() < _SHORT


def _usage(message: str) -> str:
    sentence = " ".join(message.split())
    return f"{sentence}{'' if sentence.endswith(('.', '?')) else '.'} See metameter --help."


def _system(error: OSError) -> str:
    where = str(error.filename) if error.filename else None
    fix = "Check the path, the permissions and the space on the disk."
    return str(MetameterError((error.strerror or str(error)).lower(), where=where, fix=fix))


def _fail(line: str) -> int:
    say(line)
    return 2


def _with_plugins_loaded(arguments: Sequence[str]) -> list[str]:
    """Load the files of ``--plugin``, and return the other arguments.

    Not an option of click: a file may register a procedure, which is a command.
    """
    left = list(arguments)
    files: list[str] = []
    end = left.index("--") if "--" in left else len(left)
    for position in reversed(range(end)):
        flag, sign, value = left[position].partition("=")
        if flag == _PLUGIN and (sign or position + 1 < end):
            files.insert(0, value if sign else left[position + 1])
            del left[position : position + (1 if sign else 2)]
    for file in files:
        load_plugin_file(file)
    return left or ["--help"]


def program(arguments: Sequence[str]) -> click.Group:
    """The command-line program; it imports only the command that the arguments name."""
    app = click.Group(help=_HELP, no_args_is_help=True, context_settings={"max_content_width": _WIDEST_HELP})
    app.params.append(_plugin_option())
    click.version_option(__version__, prog_name="metameter", message="%(prog)s %(version)s", help="Print it.")(app)
    known = commands()
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is not None and command not in known:
        raise MetameterError("unknown command", given=command, fix=did_you_mean(command, list(known)))
    # The other commands are for the list of all, which `metameter COMMAND` does not show.
    listed = known if command is None or command != arguments[0] else {command: known[command]}
    for name, module in listed.items():
        if name == command:
            # Imported here, since the list of commands needs neither NumPy nor any options.
            from metameter.cli.derive import command_of

            whole = command_of(load(name), name)
            whole.params.append(_plugin_option())
            app.add_command(whole)
        else:
            # Short help is wrapped between words, not cut.
            app.add_command(click.Command(name, short_help=help_line(module)))
    return app


def _plugin_option() -> click.Option:
    """The option ``--plugin`` for the help; `run` has taken it from the arguments before."""
    text = "A Python file with a model, aggregation, metric or procedure of your own; may be repeated. Its code is run."
    return click.Option((_PLUGIN,), metavar="FILE.py", multiple=True, expose_value=False, help=text)


def commands() -> dict[str, str]:
    """Command name -> module, in alphabetical order.

    Examples
    --------
    >>> commands()["score"], commands()["power"]
    ('metameter.cli.commands.score', 'metameter.meta.power')
    """
    own = pkgutil.iter_modules(metameter.cli.commands.__path__, f"{metameter.cli.commands.__name__}.")
    meta = Path(metameter.meta.__path__[0])
    folders = (
        each
        for each in pkgutil.iter_modules([str(meta)], "metameter.meta.")
        if (meta / each.name.rpartition(".")[2] / "procedure.py").exists()
    )
    modules = {entry.name: entry.module for entry in entry_points(group="metameter.meta")}
    modules |= {name: module for module in plugin_modules() for name in registered_by("meta", module)}
    # Ours last: no plug-in replaces a command of ours.
    modules |= {each.name.rpartition(".")[2]: each.name for each in (*own, *folders)}
    return {name.replace("_", "-"): module for name, module in sorted(modules.items())}


def help_line(module: str) -> str:
    """The first line of a module's docstring, read from its source.

    Examples
    --------
    >>> help_line("metameter.cli.commands.score")
    'Score runs against judgments: metric x system x topic.'
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def load(name: str) -> Callable[..., Any]:
    """The function behind a command: a procedure, or what a module of `cli/commands` calls ``command``."""
    module = commands()[name]
    if module.startswith(f"{metameter.cli.commands.__name__}."):
        command: Callable[..., Any] = import_module(module).command
        return command
    function = name.replace("-", "_")
    # Of our own procedures only this one is imported, so that a command starts at once.
    own = module.startswith(f"{metameter.meta.__name__}.") and find_spec(f"{module}.procedure") is not None
    procedure: Callable[..., Any] = (
        getattr(import_module(f"{module}.procedure"), function) if own else get("meta", function)
    )
    return procedure
