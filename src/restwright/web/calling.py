"""From the form of a tool to its call: read, checked, shown, and sent."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from starlette.datastructures import UploadFile
from starlette.requests import Request as PageRequest

from restwright.agents.rest.facts import values_at
from restwright.calls.approval.approval import Approve, hash_request, refuse_all
from restwright.calls.approval.destination import add_idempotency_key, check_call_arguments
from restwright.calls.arguments.repair import repair_arguments
from restwright.calls.auth.connection import Connection, mask_request
from restwright.calls.call import call, prepare
from restwright.calls.curl import curl_from_request, list_variable_names
from restwright.calls.mismatch import Mismatch
from restwright.calls.python_code import python_from_request
from restwright.calls.request.files import data_url_from_bytes
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.messages import Request
from restwright.tools.producers import Producer, find_required_producers
from restwright.tools.tool import Tool
from restwright.web.forms.draft import Draft, settle_draft
from restwright.web.forms.reading import SHOW, FormAction, FormReader
from restwright.web.kept import HeldRequest, KeptCall
from restwright.web.site import Site
from restwright.web.values import describe_item

MAX_CONTROLS = 5_000
MAX_TEXT_BYTES = 4_000_000
"""Of one control that is no file."""
MAX_CHOICES = 50
_FORM_LIMITS = {"max_files": 20, "max_fields": MAX_CONTROLS, "max_part_size": MAX_TEXT_BYTES}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRequest:
    """
    A request as it would be sent, without its secrets.

    Args:
        text: Of the body; empty for none.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: Json
    curl: str = field(repr=False)
    python: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A value that a producer gave, and what it is of."""

    value: Json
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls:
    """The calls of one tool."""

    site: Site
    tool: Tool

    @property
    def connection(self) -> Connection:
        """How its API is reached."""
        return self.site.served.connections.find(self.tool.namespace, "")

    @property
    def fixed(self) -> JsonObject:
        """Arguments that a manifest gives every call."""
        return self.site.served.fixed.get(self.tool.name, {})

    @property
    def schema(self) -> JsonObject:
        """What its form is made of: all that is checked, but what is fixed."""
        if not self.fixed:
            return self.tool.checks
        members = {
            name: part for name, part in self.tool.properties.items() if name not in self.fixed
        }
        required = [name for name in self.tool.required if name not in self.fixed]
        return {**self.tool.checks, "properties": members, "required": required}

    @property
    def decision(self) -> str:
        """What is to be done about a call: `allow`, `ask` or `refuse`."""
        return self.site.served.policy_of(self.tool.namespace).decision(self.tool)

    def complete(self, written: Draft) -> Json:
        """What the form says, repaired, and with what every call has."""
        value = settle_draft(written)
        if not is_object(value):
            return value
        whole = add_idempotency_key(self.tool, {**value, **self.fixed})
        return repair_arguments(self.tool, whole).arguments

    def check(self, arguments: Json) -> Sequence[Mismatch]:
        """What is wrong with them."""
        return check_call_arguments(self.tool, cast("JsonObject", arguments), self.connection)

    def show(self, arguments: JsonObject) -> ShownRequest:
        """
        The request that they make.

        Raises:
            RestwrightError: None can be made.
        """
        return self.show_request(prepare(self.tool, arguments, self.connection))

    def show_request(self, request: Request) -> ShownRequest:
        """A request, without its secrets."""
        shown = mask_request(request)
        names = list_variable_names(self.connection)
        variables = {name: os.environ.get(name, "").strip() for name in names}
        return ShownRequest(
            method=shown["method"],
            url=shown["url"],
            headers=shown["headers"],
            body=shown["body"],
            curl=curl_from_request(request, variables=variables),
            python=python_from_request(request, variables=variables),
        )

    def hold(self, arguments: JsonObject) -> tuple[str, HeldRequest]:
        """
        Keep the request for which consent is wanted.

        Raises:
            RestwrightError: None can be made.
        """
        request = prepare(self.tool, arguments, self.connection)
        return self.site.kept.hold(self.tool, arguments, request)

    def send(self, arguments: JsonObject, held: HeldRequest | None = None) -> tuple[str, KeptCall]:
        """
        Make the call, and keep what came of it.

        Args:
            held: The request that was approved: no other one goes out.

        Raises:
            RestwrightError: It cannot be made.
        """
        began = time.perf_counter()
        result = call(
            self.tool,
            arguments,
            connection=self.connection,
            send=self.site.send,
            approve=_approve_only(held) if held else refuse_all,
            policy=self.site.served.policy_of(self.tool.namespace),
            files=self.site.files,
        )
        self.site.usage.count_call(
            self.tool.name, kind=result.kind, is_repaired=bool(result.repairs)
        )
        seconds = time.perf_counter() - began
        made = KeptCall(tool=self.tool, arguments=arguments, result=result, seconds=seconds)
        return self.site.kept.keep(made), made

    def find_producers(self) -> Mapping[str, Sequence[Producer]]:
        """`{required input: what yields values for it}`."""
        found = find_required_producers(self.tool, self.site.catalog)
        return {name: several[:3] for name, several in found.items()}

    def look_up(self, producer: Producer) -> tuple[Sequence[Choice], str]:
        """
        Values of a producer that needs no arguments: what can be chosen, and why there is nothing.

        Raises:
            RestwrightError: It cannot be called.
        """
        key, made = ToolCalls(site=self.site, tool=producer.tool).send({})
        del key
        if not made.result.ok:
            return (), made.result.text
        found: dict[str, Choice] = {}
        for value, owner in values_at(made.result.value, producer.path):
            found.setdefault(str(value), Choice(value=value, text=describe_item(owner, value)))
            if len(found) == MAX_CHOICES:
                break
        return tuple(found.values()), "" if found else "there is none"


def can_look_up(producer: Producer) -> bool:
    """Whether a producer can be asked at once: it changes nothing, and needs nothing."""
    return producer.tool.is_read and not producer.tool.required and bool(producer.path)


async def read_form(request: PageRequest) -> dict[str, str]:
    """What a form says; files as data URLs."""
    async with request.form(**_FORM_LIMITS) as form:
        found: dict[str, str] = {}
        for name, value in form.multi_items():
            if not isinstance(value, UploadFile):
                found[name] = value
            elif value.filename:
                content = await value.read()
                media_type = value.content_type or ""
                found[name] = data_url_from_bytes(
                    content, name=value.filename, media_type=media_type
                )
        return found


def read_arguments(schema: JsonObject, form: Mapping[str, str], action: FormAction = SHOW) -> Draft:
    """The arguments that a form says."""
    return FormReader(schema=schema, form=form, action=action).read()


def _approve_only(held: HeldRequest) -> Approve:
    """Say yes to the request that was shown, and to no other."""

    def approve(tool: Tool, request: Request) -> bool:
        return tool.name == held.tool.name and hash_request(request) == held.hash

    return approve
