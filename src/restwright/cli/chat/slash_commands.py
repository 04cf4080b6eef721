"""The commands of a chat, in one table: what begins with a slash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from typer import BadParameter

from restwright.cli.chat.chat import APPROVALS, CROSSING, TRUSTED, Approval
from restwright.cli.chat.command import Command
from restwright.cli.chat.views import (
    print_conversations,
    print_cost,
    print_recap,
    print_since,
    print_trace,
    print_undone,
    print_unfinished,
)
from restwright.cli.inputs.run_options import AgentKind
from restwright.cli.render.output import confirmed, counted, one_line
from restwright.workspace.output_files import write_whole

if TYPE_CHECKING:
    from restwright.agents.journal.store import Journal
    from restwright.agents.memory.turn import Turn
    from restwright.cli.chat.chat import Chat

KINDS: tuple[str, ...] = get_args(AgentKind)
KEYS = (
    "Enter sends; Alt-Enter, Esc Enter or a backslash at the end begins another line.",
    "Tab completes; Ctrl-R searches earlier lines; Ctrl-C stops the run; Ctrl-D quits.",
    "A line that begins with a space is a message, and is not kept in the history.",
)

_FOUND = 12
_LISTED = 10


def help_lines() -> list[str]:
    """What can be typed."""
    heads = {name: f"/{name} {each.argument}".rstrip() for name, each in COMMANDS.items()}
    width = max(map(len, heads.values()))
    commands = [f"  {heads[name]:<{width}}  {each.help}" for name, each in COMMANDS.items()]
    return ["Ask in any language, or:", *commands, *KEYS]


def _help(chat: Chat, rest: str) -> None:
    name = rest.removeprefix("/").lower()
    if not name:
        chat.out.text("\n".join(help_lines()))
        return
    if name not in COMMANDS:
        raise BadParameter(f"there is no command /{name}; see /help")
    chat.out.text(f"/{name} {COMMANDS[name].argument}".rstrip() + f": {COMMANDS[name].help}")


def _tools(chat: Chat, query: str) -> None:
    catalog = chat.agent.catalog
    if not query:
        from restwright.cli.render.tool_list import print_list

        print_list(catalog, chat.out, more="; see /show NAME")
        return
    from restwright.cli.render.search_results import print_found
    from restwright.tools.search import search

    print_found(search(query, catalog, k=_FOUND), chat.out)


def _show(chat: Chat, name: str) -> None:
    if not name:
        raise BadParameter("/show needs the NAME of a tool; see /tools")
    from restwright.cli.render.tool import tool_text
    from restwright.workspace.documents import find_tool

    catalog = chat.agent.catalog
    chat.out.text(tool_text(find_tool(catalog, name), catalog))


def _trace(chat: Chat, rest: str) -> None:
    del rest
    turns = chat.conversation.turns
    if not turns:
        chat.out.text("Nothing was asked yet.")
        return
    print_trace(turns[-1], chat.out)


def _cost(chat: Chat, rest: str) -> None:
    del rest
    print_cost(chat.conversation, chat.out)


def _model(chat: Chat, name: str) -> None:
    if name:
        model = chat.models.choose(name)
        chat.conversation.agent = replace(chat.agent, model=model)
    chat.out.text(f"The model is {chat.agent.model.name}.")


def _agent(chat: Chat, kind: str) -> None:
    if kind and kind not in KINDS:
        raise BadParameter(f"there is no kind {kind}; there are {', '.join(KINDS)}")
    if kind:
        chat.conversation.agent = replace(chat.agent, kind=kind)
    chat.out.text(f"The agent is {chat.kind}.")


def _approve(chat: Chat, rest: str) -> None:
    if rest:
        chat.approve(_approval(chat, rest))
    mark = {name: "*" if name == chat.approval else " " for name in APPROVALS}
    width = max(map(len, APPROVALS))
    lines = [f"{mark[name]} {name:<{width}}  {means}" for name, means in APPROVALS.items()]
    crossing = TRUSTED if chat.given.trust_apis else CROSSING
    chat.out.text("\n".join([*lines, crossing, "It holds for this chat and is kept nowhere."]))


def _approval(chat: Chat, name: str) -> Approval:
    if name not in APPROVALS:
        raise BadParameter(f"/approve {name}: there are {', '.join(APPROVALS)}")
    approval = cast("Approval", name)
    if chat.given.read_only and name != "reads":
        raise BadParameter("this chat was begun with --read-only: it has no tools that write")
    if name in {"writes", "all"} and not (chat.is_person or chat.given.yes):
        # Lines that a program hands on may be somebody else's words.
        raise BadParameter("without a terminal writes are allowed by --yes alone")
    return approval


def _undo(chat: Chat, rest: str) -> None:
    del rest
    turn = chat.conversation.undo()
    if turn is None:
        chat.out.text("There is nothing to undo.")
    else:
        print_undone(turn, chat.out)


def _save(chat: Chat, rest: str) -> None:
    from restwright.cli.chat.transcript import as_json_lines, as_markdown

    conversation = chat.conversation
    if not rest:
        raise BadParameter("/save needs a FILE: .jsonl for programs, else Markdown")
    path = _path(rest)
    if path.exists() and not (chat.is_person and confirmed(f"{path} exists. Overwrite it?")):
        raise BadParameter(f"/save {path}: it exists and was left as it is")
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        text = as_json_lines(conversation.turns)
    else:
        title = f"Conversation {conversation.id}".rstrip()
        text = as_markdown(conversation.turns, title=title)
    write_whole(path, text)
    chat.out.text(f"{counted(len(conversation.turns), 'turn')} in {path}, readable by you alone")


def _path(typed: str) -> Path:
    """Where a file can be written, as a user names it."""
    try:
        path = Path(typed.strip("\"'")).expanduser()
        is_possible = "\0" not in typed and not path.is_dir() and path.parent.is_dir()
    except (RuntimeError, OSError):
        # Nobody of that name has a home, or a name is too long.
        path, is_possible = Path(typed), False
    if not is_possible:
        raise BadParameter(f"/save {path}: no file can be written there")
    return path


def _resume(chat: Chat, name: str) -> None:
    from restwright.agents.conversation import Conversation

    journal = _journal(chat)
    if not name:
        from restwright.agents.journal.conversations import list_conversations

        print_conversations(list_conversations(journal)[:_LISTED], chat.conversation.id, chat.out)
        print_unfinished(chat.conversation, chat.out)
        return
    is_here = chat.conversation.id == name
    chat.switch_conversation(Conversation.resume(chat.agent, journal, name))
    resumed(chat, name, is_here=is_here)


def resumed(chat: Chat, name: str, *, is_here: bool = False) -> None:
    """
    Show what was said, and go on with a turn that was interrupted; a person is asked first.

    Args:
        name: The id that was given, of the conversation or of one of its turns.
        is_here: Whether the chat was in that conversation already.
    """
    print_recap(chat.conversation, chat.out)
    turn = _meant(chat, name, is_here=is_here)
    if turn is not None:
        print_since(turn, chat.conversation, chat.out)
        if not chat.is_person or confirmed(f"Go on with: {one_line(turn.question)}"):
            chat.resume_turn(turn.session)
    print_unfinished(chat.conversation, chat.out)


def _meant(chat: Chat, name: str, *, is_here: bool) -> Turn | None:
    """Which turn an id says to go on with."""
    conversation = chat.conversation
    named = next((turn for turn in conversation.unfinished if turn.session == name), None)
    # The id of a conversation is that of its first turn, too.
    is_turn = name != conversation.id
    if is_turn and name not in {turn.session for turn in conversation.turns}:
        chat.out.note(f"{name} was undone, or is too far back to be gone on with")
    if named is not None and is_turn:
        return named
    return conversation.interrupted or (named if chat.is_person or is_here else None)


def _journal(chat: Chat) -> Journal:
    if chat.conversation.journal is None:
        raise BadParameter("this chat is not kept, so nothing can be taken up again")
    return chat.conversation.journal


def _quit(chat: Chat, rest: str) -> None:
    del chat, rest
    raise EOFError


def _tool_names(chat: Chat) -> Sequence[str]:
    return chat.agent.catalog.names


def _sessions(chat: Chat) -> Iterable[str]:
    from restwright.agents.journal.conversations import list_conversations

    journal = chat.conversation.journal
    if journal is None:
        return ()
    listed = (conversation.id for conversation in list_conversations(journal)[:_LISTED])
    return (*(turn.session for turn in chat.conversation.unfinished), *listed)


def _commands(chat: Chat) -> Iterable[str]:
    del chat
    return COMMANDS


COMMANDS: Mapping[str, Command] = {
    "help": Command(argument="[COMMAND]", help="What can be typed.", run=_help, complete=_commands),
    "tools": Command(
        argument="[QUERY]", help="The tools; with a query those that it is about.", run=_tools
    ),
    "show": Command(argument="NAME", help="One tool whole.", run=_show, complete=_tool_names),
    "trace": Command(help="What was done for the last message, step by step.", run=_trace),
    "cost": Command(help="Tokens, calls and cost of this chat.", run=_cost),
    "model": Command(
        argument="[NAME]",
        help="Who is asked; or ask another, such as local or openai:NAME.",
        run=_model,
        complete=lambda chat: ("local", chat.agent.model.name),
    ),
    "agent": Command(
        argument="[KIND]",
        help=f"How it goes about a message: {', '.join(KINDS)}.",
        run=_agent,
        complete=lambda _: KINDS,
    ),
    "approve": Command(
        argument="[WHAT]",
        help=f"What may be called without asking: {', '.join(APPROVALS)}.",
        run=_approve,
        complete=lambda _: APPROVALS,
    ),
    "undo": Command(help="Forget the last message; what was sent stays sent.", run=_undo),
    "save": Command(
        argument="FILE", help="Write this chat to a file: Markdown, or .jsonl.", run=_save
    ),
    "resume": Command(
        argument="[ID]",
        help="Go on with another chat, or with a stopped message; without ID, list them.",
        run=_resume,
        complete=_sessions,
    ),
    "quit": Command(help="Leave.", run=_quit),
}
