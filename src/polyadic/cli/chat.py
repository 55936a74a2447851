"""polyadic chat: questions and answers in turn, on a terminal or from a pipe."""

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import click

from polyadic.cli.common import (
    count,
    filter_of,
    filter_options,
    method_option,
    say,
    visible,
    where,
    workspace_option,
    workspace_place,
)
from polyadic.cli.query import how_to_answer, print_citations
from polyadic.config import AnswerSettings
from polyadic.errors import PolyadicError
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Filter, Turn
from polyadic.workspace import Workspace

_PROMPT = "> "
_COMMAND = re.compile(r"/[a-z]*")
_HELP = """\
/sources  the passages that the last answer quotes, in full
/clear    forget the conversation so far
/quit     end (also Ctrl-D); Ctrl-C stops an answer"""


@click.command("chat")
@method_option("How knowledge is found")
@click.option("--context-tokens", type=click.IntRange(min=1), help="How many tokens of knowledge to bring.")
@filter_options
@click.option("--by", type=click.Choice(["model", "quotes"]), help="Who answers (default: the model, if one is set).")
@click.option("--style", help='What kind of answer is wanted, such as "three bullet points".')
@click.option("--think", is_flag=True, help="Let the model reason first.")
@workspace_option
@click.pass_context
def command(
    context: click.Context,
    method: str | None,
    context_tokens: int | None,
    sources: tuple[str, ...],
    metadata: tuple[str, ...],
    by: Literal["model", "quotes"] | None,
    style: str | None,
    think: bool,
    workspace: str | None,
) -> int:
    """Ask questions one after the other; each may refer to those before it.

    /help lists what else can be typed. From a pipe each line is a question.
    """
    only = filter_of(sources, metadata, context)
    with Workspace(workspace_place(context, workspace)) as kb:
        how = how_to_answer(context, kb.settings, by, style, think)
        conversation = ChatSession(kb, how, method, context_tokens, only)
        if sys.stdin.isatty() and sys.stdout.isatty():
            _on_terminal(conversation)
            return 0
        return _from_pipe(conversation)


@dataclass(slots=True)
class ChatSession:
    """The questions so far with their answers, and how the next one is answered."""

    kb: Workspace
    how: AnswerSettings
    method: str | None
    context_tokens: int | None
    only: Filter | None
    turns: list[Turn] = field(default_factory=list)
    last: Answer | None = None

    @property
    def introduction(self) -> str:
        """What is asked, and who answers."""
        documents = count(self.kb.status().counts.documents, "document")
        model = "" if self.how.by == "quotes" else self.kb.settings.model.name
        answers = f"{model} answers" if model else "answers are quoted, as no language model is used"
        return f"{documents}; {answers}. /help lists the commands, /quit ends."

    def answer(self, question: str) -> None:
        """Print an answer as it comes, and remember it for questions that follow up on it.

        Raises
        ------
        PolyadicError
            It cannot be answered; the conversation is as before.
        """
        begun = False
        stream = self.kb.stream(question, self.method, self.context_tokens, tuple(self.turns), self.how, self.only)
        try:
            for piece in stream:
                if isinstance(piece, Answer):
                    self.last = piece
                    self.turns.append(Turn(question, piece.text))
                else:
                    say(piece, nl=False)
                    begun = True
        finally:
            if begun:
                say()
        if self.last is not None:
            _print_rest(self.last, question)

    def obey(self, name: str) -> bool:
        """Do what a command says; False where the conversation is to end."""
        if name in ("/quit", "/exit"):
            return False
        if name == "/clear":
            self.turns.clear()
            self.last = None
            say("the conversation is forgotten")
        elif name == "/sources":
            _print_sources(self.last)
        elif name == "/help":
            say(_HELP)
        else:
            say(f"there is no command {name}; /help lists them", err=True)
        return True


def _on_terminal(conversation: ChatSession) -> None:
    """Ask for questions until the user ends it."""
    with contextlib.suppress(ImportError):
        # Importing it gives input() line editing, and the arrow keys bring back earlier questions.
        import readline  # noqa: F401
    say(conversation.introduction)
    while True:
        try:
            line = input(_PROMPT).strip()
        except EOFError:
            say()
            return
        except KeyboardInterrupt:
            say("\n(/quit or Ctrl-D ends)")
            continue
        if not line:
            continue
        try:
            if _COMMAND.fullmatch(line):
                if not conversation.obey(line):
                    return
            else:
                conversation.answer(line)
        except KeyboardInterrupt:
            say("(stopped)")
        except PolyadicError as error:
            _complain(error)
        say()


def _from_pipe(conversation: ChatSession) -> int:
    """Answer each line; returns the exit code: 0 all answered, 3 some, 1 none."""
    conversation.kb.store()  # where there is no workspace, that is said also for no question
    failed = asked = 0
    for line in _lines():
        if _COMMAND.fullmatch(line):
            if not conversation.obey(line):
                break
            continue
        asked += 1
        say(f"{_PROMPT}{line}", bold=True)
        try:
            conversation.answer(line)
        except PolyadicError as error:
            _complain(error)
            failed += 1
        say()
    return 0 if not failed else 1 if failed == asked else 3


def _lines() -> Iterator[str]:
    """The lines of standard input that are not blank."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if line.strip():
            yield line.strip()


def _print_rest(answer: Answer, question: str) -> None:
    """All of an answer but its text."""
    if answer.question != question:
        say(f"(understood as: {answer.question})")
    print_citations(answer)


def _print_sources(answer: Answer | None) -> None:
    """What an answer quotes, in full."""
    if answer is None or not answer.citations:
        say("the last answer quotes nothing" if answer else "nothing has been answered yet")
        return
    for citation in answer.citations:
        say(f"[{citation.marker}] {where(citation.place)}", bold=True)
        say(f"    {normal_text(citation.place.quote)}")


def _complain(error: PolyadicError) -> None:
    say(f"polyadic: {visible(' '.join(str(error).split()))}", err=True)
