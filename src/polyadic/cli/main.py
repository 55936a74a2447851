"""The command ``polyadic``: which verbs there are, and how a run of it ends.

Exit codes: 0 done (also when nothing had to be done), 1 failed, 2 wrong use, 3 partly done.
"""

import importlib
import io
import keyword
import os
import sys

import click

from polyadic import __version__
from polyadic.errors import PolyadicError
from polyadic.tracing.exporter import exported
from polyadic.tracing.spans import started

VERBS = {
    "init": "write a commented polyadic.toml",
    "index": "read documents into the workspace",
    "estimate": "what indexing would cost",
    "batch": "have the language model asked by batch files",
    "query": "ask a question",
    "chat": "ask questions one after the other",
    "search": "find passages by words",
    "status": "what the workspace holds",
    "show": "print a document, chunk, fact or entity",
    "delete": "delete documents",
    "entities": "who is who: what may be one, deciding, undoing",
    "hierarchy": "themes over all facts: building them, a picture of them",
    "doctor": "what is wrong, and what to do about it",
    "models": "the weights of local models",
    "reembed": "change the embedding model",
    "eval": "compare methods on a question set",
    "serve": "many workspaces behind one server",
    "keys": "who may do what at a server",
    "export": "write the workspace in another format",
    "import": "take in facts from elsewhere, or a whole workspace",
    "copy": "copy the workspace to a folder or a database",
    "mcp": "let agents ask the workspace",
}
_LASTING = ("serve", "mcp")
"""These last until somebody stops them: what they are asked for is a trace of its own."""


class LazyCommandGroup(click.Group):
    """Loads a verb's module only when it is used, so that the command starts at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        # No module can be named as Python names its own verbs.
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"polyadic.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-w",
    "--workspace",
    help="Folder or address of the workspace (default: ./polyadic-workspace, or POLYADIC_WORKSPACE).",
)
@click.version_option(__version__, prog_name="polyadic")
@click.pass_context
def cli(context: click.Context, workspace: str | None) -> None:
    """Answers out of documents, with citations.

    polyadic index PATH... reads documents, polyadic query "..." asks them. A language model is used if
    one is set (polyadic init --preset), and not needed.
    """
    context.obj = workspace
    if context.invoked_subcommand not in _LASTING:
        context.with_resource(started(f"polyadic {context.invoked_subcommand}"))


def main() -> None:
    """Run the command, and end it as people and scripts expect: one line for an error, no traceback."""
    # The matrices of a question are small: a second thread gains nothing on a quiet machine, and waits for a
    # processor on a busy one (measured: 17 ms a walk instead of 6). To be said before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal has no letters for is shown as ?.
            stream.reconfigure(errors="replace")
    with exported(_say):
        code = run(sys.argv[1:])
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; returns the exit code."""
    try:
        outcome = cli.main(arguments, prog_name="polyadic", standalone_mode=False)
    except click.UsageError as error:
        return _wrong_use(error)
    except (click.Abort, KeyboardInterrupt):
        return _failed("stopped; what was finished is kept, and the same command goes on from there")
    except click.ClickException as error:
        return _failed(error.format_message())
    except PolyadicError as error:
        return _failed(str(error))
    except BrokenPipeError:
        # Whoever read the output has seen enough; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _failed(f"{error.filename or 'the output'} cannot be used ({error.strerror})")
    except Exception as error:
        if os.environ.get("POLYADIC_DEBUG"):
            raise
        return _failed(
            f"unexpected {type(error).__name__} ({error}): this is a defect, please report it with what"
            " POLYADIC_DEBUG=1 prints"
        )
    return outcome if isinstance(outcome, int) else 0


def _wrong_use(error: click.UsageError) -> int:
    # click has this class since 8.2; before, it printed the help itself.
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        error.show()
    else:
        verb = error.ctx.command_path if error.ctx else "polyadic"
        said = error.format_message().rstrip(".")
        _say(f"{said[:1].lower()}{said[1:]} ({verb} --help)")
    return 2


def _failed(reason: str) -> int:
    _say(reason)
    return 1


def _say(problem: str) -> None:
    from polyadic.cli.common import visible

    click.echo(f"polyadic: {visible(' '.join(problem.split()))}", err=True)
