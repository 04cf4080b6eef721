"""Who may come in to a server: who knows a token, or has one of an authorization server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from restwright.calls.truncate import compact_json
from restwright.cli.inputs.server_options import AddressOptions
from restwright.cli.render.output import Output
from restwright.errors import MissingExtra

if TYPE_CHECKING:
    from restwright.doors.access import VerifyToken
    from restwright.doors.doors import DoorAccess
    from restwright.mcp.access import IssuedTokens
    from restwright.net.http.async_transport import AsyncTransport


def make_access(address: AddressOptions, url: str, send: AsyncTransport, out: Output) -> DoorAccess:
    """
    Say which programs may ask.

    Args:
        url: Of the server, as its clients know it.
        send: Asks the authorization server for its keys.

    Raises:
        MissingExtra: What checks tokens is not installed.
        MissingCredential: There is nothing at the reference of the token.
    """
    from restwright.doors.doors import DoorAccess
    from restwright.net.secret_references import resolve_secret

    token = resolve_secret(address.token) if address.token else None
    if not address.oauth:
        return DoorAccess(url=address.url or "", token=token)
    scopes = tuple(address.scope or ())
    verify = _make_verifier(read_tokens(address.oauth, url, send, out), scopes)
    return DoorAccess(url=url, verify=verify, issuer=address.oauth, scopes=scopes)


def read_tokens(issuer: str, url: str, send: AsyncTransport, out: Output) -> IssuedTokens:
    """
    What reads the tokens of an issuer.

    Raises:
        MissingExtra: What it needs is not installed.
    """
    try:
        from restwright.mcp.access import IssuedTokens
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "--oauth") from error
    return IssuedTokens(issuer=issuer, resource=url, send=send, report_error=out.warn)


def _make_verifier(tokens: IssuedTokens, scopes: tuple[str, ...]) -> VerifyToken:
    """What says whose an access token is."""

    async def verify(token: str) -> str | None:
        found = await tokens.verify_token(token)
        if found is None or not {*scopes} <= {*found.scopes}:
            return None
        return compact_json([tokens.issuer, found.client_id, found.subject])

    return verify
