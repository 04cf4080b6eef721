"""`chat`: many messages over one or more APIs; each may speak of what was said before."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from restwright.cli.ask import MAX_CALLS, MAX_MODEL_CALLS, MAX_SECONDS, MAX_STEPS, MAX_TOKENS
from restwright.cli.asking import kept_in_journal
from restwright.cli.call import MAX_BYTES, TIMEOUT_S
from restwright.cli.chatting import Approval, Chat, Models, policy_for
from restwright.cli.connections import check_choices, connections_of
from restwright.cli.consent import Consent, policy_of
from restwright.cli.human import human_of
from restwright.cli.options import (
    AgentKind,
    AllowCommands,
    Auth,
    Described,
    Expand,
    Header,
    HumanFile,
    MaxBytes,
    MaxCalls,
    MaxCallsPerAPI,
    MaxCost,
    MaxModelCalls,
    MaxSeconds,
    MaxSteps,
    MaxTokens,
    Model,
    ModelURL,
    NoJournal,
    Server,
    ServerVariable,
    Timeout,
    Yes,
    YesDownload,
)
from restwright.cli.output import Output, counted, is_terminal
from restwright.cli.sources import catalog_of, reads_of

if TYPE_CHECKING:
    from restwright.tools.catalog import Catalog

HISTORY = "chat_history"
_NO_TEXT = re.compile("[\ud800-\udfff]")


def chat(
    apis: Annotated[
        list[str] | None,
        Option("-a", "--api", metavar="DOC", help="An API that may be used; may be repeated."),
    ] = None,
    server: Server = None,
    server_variable: ServerVariable = None,
    auth: Auth = None,
    header: Header = None,
    allow_commands: AllowCommands = False,
    agent_kind: AgentKind = "rest",
    model: Model = None,
    model_url: ModelURL = None,
    expand: Expand = False,
    yes: Yes = False,
    read_only: Annotated[
        bool, Option("--read-only", help="Use only tools that change nothing.")
    ] = False,
    human: HumanFile = None,
    resume: Annotated[
        str | None, Option("--resume", metavar="ID", help="Go on with an earlier chat.")
    ] = None,
    no_journal: NoJournal = False,
    timeout: Timeout = TIMEOUT_S,
    max_bytes: MaxBytes = MAX_BYTES,
    max_calls: MaxCalls = MAX_CALLS,
    max_model_calls: MaxModelCalls = MAX_MODEL_CALLS,
    max_tokens: MaxTokens = MAX_TOKENS,
    max_seconds: MaxSeconds = MAX_SECONDS,
    max_steps: MaxSteps = MAX_STEPS,
    max_cost: MaxCost = None,
    max_calls_per_api: MaxCallsPerAPI = None,
    yes_download: YesDownload = False,
    *,
    described: Described,
    out: Output,
) -> int:
    """Talk with a language model that calls APIs; without a terminal each line is a message."""
    if not apis:
        raise BadParameter("an API is needed: -a DOC")
    if no_journal and resume is not None:
        raise BadParameter("--resume and --no-journal exclude each other")
    policy_of(yes=yes, read_only=read_only)
    approval: Approval = "reads" if read_only else "all" if yes else "ask"
    answers = human_of(human)
    catalog = catalog_of(apis, described, out)
    if read_only:
        catalog = reads_of(catalog)
    connections = connections_of(
        [*catalog.apis],
        server=server,
        server_variable=server_variable,
        auth=auth,
        header=header,
        allow_commands=allow_commands,
    )
    check_choices(catalog, connections)
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.conversation import Conversation
    from restwright.net.transport import Transport

    limits = Limits(
        calls=max_calls,
        model_calls=max_model_calls,
        tokens=max_tokens,
        seconds=max_seconds,
        steps=max_steps,
        cost=max_cost,
        calls_per_api=max_calls_per_api,
    )
    with (
        Models(model_url, out, yes_download=yes_download) as models,
        Transport(timeout_s=timeout, max_bytes=max_bytes, max_redirects=5) as send,
        kept_in_journal(out, resume=resume, off=no_journal) as journal,
    ):
        agent = Agent(
            catalog,
            model=models.choose(model),
            connections=connections,
            send=send,
            approve=Consent(),
            policy=policy_for(approval),
            human=answers,
            kind=agent_kind,
            limits=limits,
            expands=expand,
        )
        conversation = Conversation(agent, journal)
        if resume is not None and journal is not None:
            conversation = Conversation.resume(agent, journal, resume)
        going = Chat(
            conversation=conversation,
            models=models,
            out=out,
            approval=approval,
            is_person=is_terminal(),
            is_read_only=read_only,
            is_free=yes,
        )
        return _talk(going, is_resumed=resume is not None)


def _talk(chat: Chat, *, is_resumed: bool) -> int:
    """Take turns until nothing is left to read."""
    from restwright.cli.chat_commands import command_in, resumed, run_command

    if chat.is_person:
        chat.out.note(_greeting(chat.agent.catalog))
    if is_resumed:
        _guarded(chat, lambda: resumed(chat))
    for text in _messages(chat):
        if not text.strip():
            continue
        command = command_in(text)
        try:
            if command is None:
                _guarded(chat, lambda said=text: chat.take(_readable(said).strip()))
            else:
                # With --json standard output is for one document alone.
                with redirect_stdout(sys.stderr) if chat.out.json else nullcontext():
                    _guarded(chat, lambda said=command: run_command(chat, *said))
        except EOFError:
            break
    _end(chat)
    return chat.code()


def _guarded(chat: Chat, do: Callable[[], None]) -> None:
    """Do one thing; what goes wrong with it is said, and does not end the chat."""
    try:
        do()
    except (EOFError, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        # Between two steps of a command, such as a download.
        if not chat.is_person:
            raise
        chat.out.note("stopped")
    except Exception as error:  # noqa: BLE001 - what fails does not take the chat with it
        chat.failed(error)


def _readable(text: str) -> str:
    """
    Return a message as it is.

    Raises:
        BadParameter: It has bytes that are no text; what they stand for is not guessed.
    """
    if _NO_TEXT.search(text):
        raise BadParameter("a message that is not UTF-8 was left out; send it as UTF-8")
    return text


def _messages(chat: Chat) -> Iterator[str]:
    """Yield what is said, one message after another."""
    if not chat.is_person:
        yield from _lines()
        return
    from restwright.cli.chat_prompt import line_reader
    from restwright.net.counts import state_folder

    read = line_reader(lambda: chat, state_folder() / HISTORY)
    while True:
        try:
            yield read()
        except KeyboardInterrupt:
            # What was typed is thrown away; nothing else was going on.
            continue
        except EOFError:
            return


def _lines() -> Iterator[str]:
    """The lines of standard input; a backslash at the end joins the next one."""
    kept: list[str] = []
    # A line that cannot be read must not take those behind it along.
    if (reconfigure := getattr(sys.stdin, "reconfigure", None)) is not None:
        reconfigure(errors="surrogateescape")
    for line in sys.stdin:
        text = line.rstrip("\r\n")
        if text.endswith("\\"):
            kept.append(text[:-1])
            continue
        yield "\n".join([*kept, text])
        kept = []
    if kept:
        yield "\n".join(kept)


def _greeting(catalog: Catalog) -> str:
    counts: dict[str, int] = dict.fromkeys(catalog.apis, 0)
    for each in catalog.entries.values():
        counts[each.namespace] += 1
    tools = ", ".join(f"{name} ({counted(number, 'tool')})" for name, number in counts.items())
    return f"{tools}. Ask, or type /help; Ctrl-D quits."


def _end(chat: Chat) -> None:
    from restwright.cli.transcript import turn_json

    conversation = chat.conversation
    if chat.out.json:
        turns = [turn_json(each) for each in conversation.turns]
        chat.out.value({"session": conversation.id or None, "turns": turns})
    elif chat.is_person and conversation.id and conversation.turns:
        chat.out.note(f"{'session':<9}{conversation.id}, to go on with --resume {conversation.id}")
