"""One run of the program: parse, do, answer; every error is one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence

from metameter.cli.interrupts import INTERRUPTED
from metameter.cli.streams import remark, say, set_up
from metameter.errors import MetameterError
from metameter.notices import WaitingWarning, on_command_line
from metameter.read.files.limits import memory_left

#: With so many bytes left of a limit (``ulimit -v``), what cannot be loaded or started lacks memory.
_SHORT = 1_000_000_000
_NO_MEMORY = "not enough memory. Score fewer metrics at a time, or with fewer --jobs; or allow this process more."


def run(arguments: Sequence[str], ready: Callable[[], None] = lambda: None) -> int:
    """Run a command; the return value is the exit status: 0 done, 2 bad input or usage, 130 interrupted.

    Parameters
    ----------
    arguments : list of str
        What stands after the name of the program.
    ready : callable
        Called once the command is imported, before its work.

    Examples
    --------
    >>> run(["metrics", "--kind", "aggregate", "--format", "csv"])  # doctest: +ELLIPSIS
    kind,name,...
    0
    """
    set_up()
    arguments = list(arguments) or ["--help"]
    import click

    from metameter.cli.app import program

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
            app = program(arguments)
            with app.make_context("metameter", list(arguments)) as context:
                ready()
                app.invoke(context)
        except click.exceptions.Exit:
            pass  # --help and --version
        except MetameterError as error:
            if error.after_answer:
                _remark_notices(notices)
            return _fail(str(error))
        except click.ClickException as error:
            return _fail(_usage(error.format_message()))
        except KeyboardInterrupt:
            return _interrupted()
        except BrokenPipeError:
            # The reader has gone (`| head`): nothing is wrong, and nothing more can be said on that stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            return _fail(_system(error))
        except MemoryError:
            return _fail(_NO_MEMORY)
        except BaseException as error:
            if not _lacks_memory(error):
                raise
            return _fail(_NO_MEMORY)
    _remark_notices(notices)
    return 0


def _remark_notices(notices: Sequence[str]) -> None:
    for each in dict.fromkeys(notices):
        remark(f"notice: {each}")


def _lacks_memory(error: BaseException) -> bool:
    """Whether a library says in other words that memory, which this process has a limit of, is short."""
    panic = type(error).__name__ == "PanicException"
    return (panic or isinstance(error, ImportError | NameError | RuntimeError)) and memory_left() < _SHORT


def _interrupted() -> int:
    say("interrupted")
    return INTERRUPTED


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
