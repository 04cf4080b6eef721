"""Logging in at a terminal: the browser of this machine, or a code for another one."""

from __future__ import annotations

from collections.abc import Callable

from restwright.cli.render.output import is_terminal, printable
from restwright.net.loopback_redirect import RedirectListener


class TerminalLogin(RedirectListener):
    """
    Shows where to log in on standard error, and opens a browser there where one is.

    Args:
        open_page: Opens a URL; None for the browser of this machine.
    """

    def __init__(self, *, open_page: Callable[[str], object] | None = None) -> None:
        super().__init__()
        self._open_page = open_page

    def visit(self, url: str, *, code: str = "") -> None:
        """Show `url` and `code`, and open `url`; its scheme is http or https."""
        import sys
        import webbrowser

        text = f"Log in at {url}" + (f"\nand enter the code {code}" if code else "")
        print(printable(text), file=sys.stderr, flush=True)
        (self._open_page or webbrowser.open)(url)


def login() -> TerminalLogin | None:
    """How the person at the terminal logs in; None where nobody is there."""
    return TerminalLogin() if is_terminal() else None
