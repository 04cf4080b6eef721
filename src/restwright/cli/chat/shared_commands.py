"""The commands that every chat has, whoever answers in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from typer import BadParameter

from restwright.cli.chat.command import Command
from restwright.cli.chat.views import (
    print_conversations,
    print_cost,
    print_recap,
    print_since,
    print_undone,
    print_unfinished,
    unfinished,
)
from restwright.cli.inputs.approval import APPROVALS, CROSSING, TRUSTED, Approval
from restwright.cli.render.output import confirmed, counted, one_line
from restwright.workspace.output_files import write_whole

if TYPE_CHECKING:
    from restwright.agents.journal.store import Journal
    from restwright.agents.memory.turn import Turn
    from restwright.cli.chat.base import BaseChat
    from restwright.tools.catalog.catalog import Catalog

KEYS = (
    "Enter sends; Alt-Enter, Esc Enter or a backslash at the end begins another line.",
    "Tab completes; Ctrl-R searches earlier lines; Ctrl-C stops the run; Ctrl-D quits.",
    "@FILE puts the text of a file beneath the message. What is typed during an answer comes next.",
    "A line that begins with a space is a message, and is not kept in the history.",
)

_FOUND = 12
_LISTED = 10
_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def help_lines(commands: Mapping[str, Command]) -> list[str]:
    """What can be typed."""
    heads = {name: f"/{name} {each.argument}".rstrip() for name, each in commands.items()}
    width = max(map(len, heads.values()))
    listed = [f"  {heads[name]:<{width}}  {each.help}" for name, each in commands.items()]
    return ["Ask in any language, or:", *listed, *KEYS]


def _help(chat: BaseChat, rest: str) -> None:
    name = rest.removeprefix("/").lower()
    commands = chat.slash_commands
    if not name:
        chat.out.text("\n".join(help_lines(commands)))
        return
    if name not in commands:
        raise BadParameter(f"there is no command /{name}; see /help")
    chat.out.text(f"/{name} {commands[name].argument}".rstrip() + f": {commands[name].help}")


def _catalog(chat: BaseChat) -> Catalog:
    catalog = chat.catalog()
    if catalog is None or not catalog.entries:
        raise BadParameter("who answers here has no tools")
    return catalog


def _tools(chat: BaseChat, query: str) -> None:
    if not query:
        from restwright.cli.render.tool_list import print_list

        print_list(_catalog(chat), chat.out, more="; see /show NAME")
        return
    from restwright.cli.render.search_results import print_found
    from restwright.tools.search import search

    print_found(search(query, _catalog(chat), k=_FOUND), chat.out)


def _show(chat: BaseChat, name: str) -> None:
    if not name:
        raise BadParameter("/show needs the NAME of a tool; see /tools")
    from restwright.cli.render.tool import tool_text
    from restwright.workspace.documents import find_tool

    catalog = _catalog(chat)
    chat.out.text(tool_text(find_tool(catalog, name), catalog))


def _trace(chat: BaseChat, rest: str) -> None:
    from restwright.cli.chat.trace import Trace

    if not chat.turns:
        chat.out.text("Nothing was asked yet.")
        return
    trace = Trace(chat.turns[-1], chat.events)
    if not rest:
        trace.print_all(chat.out)
        return
    if not rest.isdecimal():
        raise BadParameter(f"/trace {rest}: the number of a step is expected; /trace lists them")
    trace.print_step(int(rest), chat.out)


def _verbose(chat: BaseChat, rest: str) -> None:
    del rest
    chat.out = replace(chat.out, verbose=not chat.out.verbose)
    how = "shown whole from now on" if chat.out.verbose else "one line each"
    chat.out.text(f"Steps are {how}; /trace N shows one of the last message whole.")


def _cost(chat: BaseChat, rest: str) -> None:
    del rest
    print_cost(chat.turns, chat.out)


def _problems(chat: BaseChat, rest: str) -> None:
    del rest
    chat.out.text("\n".join(map(one_line, chat.problems)) or "There are no warnings.")


def _model(chat: BaseChat, name: str) -> None:
    if name:
        chat.choose_model(name)
    chat.out.text(f"The model is {chat.model_name}.")


def _approve(chat: BaseChat, rest: str) -> None:
    if rest:
        chat.approve(_approval(chat, rest))
    mark = {name: "*" if name == chat.approval else " " for name in APPROVALS}
    width = max(map(len, APPROVALS))
    lines = [f"{mark[name]} {name:<{width}}  {means}" for name, means in APPROVALS.items()]
    crossing = TRUSTED if chat.given.trust_apis else CROSSING
    chat.out.text("\n".join([*lines, crossing, "It holds for this chat and is kept nowhere."]))


def _approval(chat: BaseChat, name: str) -> Approval:
    if name not in APPROVALS:
        raise BadParameter(f"/approve {name}: there are {', '.join(APPROVALS)}")
    approval = cast("Approval", name)
    if chat.given.read_only and name != "reads":
        raise BadParameter("this chat was begun with --read-only: it has no tools that write")
    if name in {"writes", "all"} and not (chat.is_person or chat.given.yes):
        # Lines that a program hands on may be somebody else's words.
        raise BadParameter("without a terminal writes are allowed by --yes alone")
    return approval


def _undo(chat: BaseChat, rest: str) -> None:
    del rest
    turn = chat.undo()
    if turn is None:
        chat.out.text("There is nothing to undo.")
    else:
        print_undone(turn, chat.out)


def _retry(chat: BaseChat, rest: str) -> None:
    """Ask the last message again, of another model where one is named."""
    if not chat.turns:
        raise BadParameter("/retry: nothing was asked yet")
    last = chat.turns[-1]
    if last.writes:
        question = f"{counted(len(last.writes), 'write')} of it may be sent again. Ask?"
        if not (chat.is_person and confirmed(question)):
            raise BadParameter("/retry: what was sent cannot be undone; ask anew in your words")
    if rest:
        chat.choose_model(rest)
    chat.undo()
    chat.ask(last.question)


def _edit(chat: BaseChat, rest: str) -> None:
    from restwright.cli.chat.terminal import edit_text

    if not chat.is_person:
        raise BadParameter("/edit needs a terminal")
    text = edit_text(rest or (chat.turns[-1].question if chat.turns else ""))
    if text:
        chat.out.note(f"> {text}")
        # What an earlier message had from elsewhere is not to name files of this machine.
        chat.ask(text)


def _copy(chat: BaseChat, rest: str) -> None:
    from restwright.cli.chat.terminal import copy_text

    answer = next((turn.answer for turn in reversed(chat.turns) if turn.answer), None)
    text = answer.text if answer else ""
    if rest == "code":
        blocks = _FENCED.findall(text)
        text = blocks[-1] if blocks else ""
    elif rest:
        raise BadParameter("/copy takes nothing behind it, or code")
    if not text:
        raise BadParameter(f"/copy: there is no {rest or 'answer'} yet")
    copy_text(text)
    chat.out.note(f"copied {counted(len(text), 'character')}, where the terminal allows it")


def _save(chat: BaseChat, rest: str) -> None:
    from restwright.cli.chat.transcript import as_json_lines, as_markdown

    if not rest:
        raise BadParameter("/save needs a FILE: .jsonl for programs, else Markdown")
    path = _path(rest)
    if path.exists() and not (chat.is_person and confirmed(f"{path} exists. Overwrite it?")):
        raise BadParameter(f"/save {path}: it exists and was left as it is")
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        text = as_json_lines(chat.turns)
    else:
        text = as_markdown(chat.turns, title=f"Conversation {chat.session}".rstrip())
    write_whole(path, text)
    chat.out.text(f"{counted(len(chat.turns), 'turn')} in {path}, readable by you alone")


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


def _resume(chat: BaseChat, name: str) -> None:
    journal = _journal(chat)
    if not name:
        from restwright.agents.journal.conversations import list_conversations

        print_conversations(list_conversations(journal)[:_LISTED], chat.session, chat.out)
        print_unfinished(chat.turns, chat.out)
        return
    is_here = chat.session == name
    chat.take_up(name)
    resumed(chat, name, is_here=is_here)


def resumed(chat: BaseChat, name: str, *, is_here: bool = False) -> None:
    """
    Show what was said, and go on with a turn that was interrupted; a person is asked first.

    Args:
        name: The id that was given, of the conversation or of one of its turns.
        is_here: Whether the chat was in that conversation already.
    """
    print_recap(chat.turns, chat.session, chat.out)
    turn = _meant(chat, name, is_here=is_here)
    if turn is not None:
        print_since(turn, chat.turns, chat.out)
        if not chat.is_person or confirmed(f"Go on with: {one_line(turn.question)}"):
            chat.resume_turn(turn.session)
    print_unfinished(chat.turns, chat.out)


def _meant(chat: BaseChat, name: str, *, is_here: bool) -> Turn | None:
    """Which turn an id says to go on with."""
    open_turns = unfinished(chat.turns)
    named = next((turn for turn in open_turns if turn.session == name), None)
    # The id of a conversation is that of its first turn, too.
    is_turn = name != chat.session
    if is_turn and name not in {turn.session for turn in chat.turns}:
        chat.out.note(f"{name} was undone, or is too far back to be gone on with")
    if named is not None and is_turn:
        return named
    last = next((turn for turn in open_turns if turn is chat.turns[-1]), None)
    return last or (named if chat.is_person or is_here else None)


def _journal(chat: BaseChat) -> Journal:
    if chat.journal is None:
        raise BadParameter("this chat is not kept, so nothing can be taken up again")
    return chat.journal


def _quit(chat: BaseChat, rest: str) -> None:
    del chat, rest
    raise EOFError


def _tool_names(chat: BaseChat) -> Sequence[str]:
    return chat.tool_names()


def _sessions(chat: BaseChat) -> Iterable[str]:
    from restwright.agents.journal.conversations import list_conversations

    if chat.journal is None:
        return ()
    listed = (conversation.id for conversation in list_conversations(chat.journal)[:_LISTED])
    return (*(turn.session for turn in unfinished(chat.turns)), *listed)


SHARED: Mapping[str, Command] = {
    "help": Command(
        argument="[COMMAND]",
        help="What can be typed.",
        run=_help,
        complete=lambda chat: chat.slash_commands,
    ),
    "tools": Command(
        argument="[QUERY]", help="The tools; with a query those that it is about.", run=_tools
    ),
    "show": Command(argument="NAME", help="One tool whole.", run=_show, complete=_tool_names),
    "trace": Command(
        argument="[N]",
        help="What was done for the last message; with N one step whole.",
        run=_trace,
    ),
    "verbose": Command(help="Show each step whole, or one line of it again.", run=_verbose),
    "cost": Command(help="Tokens, calls and cost of this chat.", run=_cost),
    "problems": Command(help="What was doubtful at the start.", run=_problems),
    "model": Command(
        argument="[NAME]",
        help="Who is asked; or ask another, such as local or openai:NAME.",
        run=_model,
        complete=lambda chat: ("local", chat.model_name),
    ),
    "approve": Command(
        argument="[WHAT]",
        help=f"What may be called without asking: {', '.join(APPROVALS)}.",
        run=_approve,
        complete=lambda _: APPROVALS,
    ),
    "retry": Command(
        argument="[MODEL]", help="Ask the last message again, or another model.", run=_retry
    ),
    "undo": Command(help="Forget the last message; what was sent stays sent.", run=_undo),
    "edit": Command(
        argument="[TEXT]", help="Write a message in $EDITOR; it begins as the last one.", run=_edit
    ),
    "copy": Command(
        argument="[code]",
        help="Copy the last answer, or its last block of code.",
        run=_copy,
        complete=lambda _: ("code",),
    ),
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
