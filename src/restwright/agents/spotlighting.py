"""
Marks text as data: what APIs and their documents say is put between `<data>` and `</data>`.

What is never an instruction is marked so, and cannot end its mark; that no call follows from such
text without consent is held by code.
"""

from __future__ import annotations

import re

# Ends of marks, and of turns in the words of the templates that models were trained on: a server
# may read these in any text that it is sent.
_END = re.compile(
    r"<(?=[/|\uff5c]|(?:(?:start|end)_of_turn|bos|eos|s|<SYS>)>)"
    r"|\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|SYSTEM_PROMPT)\])"
)
# Half of a surrogate pair, which a response may have and no request to a model can.
_HALF = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """`text` without halves of surrogate pairs."""
    return _HALF.sub("\ufffd", text)


def escape_marks(text: str) -> str:
    """`text` as it may stand in a mark: nothing in it ends the mark, or the turn."""
    return _END.sub(lambda match: f"{match[0]}\\", replace_surrogates(text))


def mark_data(text: str) -> str:
    """Mark `text` as said by an API or its document."""
    return f"<data>\n{escape_marks(text)}\n</data>"


def mark_data_from(source: str, text: str) -> str:
    """Mark `text` as data that came from `source`; nothing in it can end the mark."""
    return f'<data from="{source}">\n{escape_marks(text)}\n</data>'
