"""Answers a question about a shop with a model of Anthropic; each change is asked about."""

import sys

from anthropic import Anthropic

import restwright as rw


def approve(tool: rw.Tool, request: rw.Request) -> bool:
    question = rw.policy.format_approval_question(tool, request)
    return input(f"{question} [y/N] ") == "y"


client = Anthropic()
messages = [{"role": "user", "content": sys.argv[2]}]
with rw.toolbox(sys.argv[1], auth="env:SHOP_TOKEN", approve=approve) as tools:
    asked = {"model": "claude-opus-5", "max_tokens": 1_000, "system": tools.instructions}
    asked["tools"] = tools.for_("anthropic", about=sys.argv[2])
    response = client.messages.create(messages=messages, **asked)
    while replies := tools.replies("anthropic", response):
        messages += [{"role": "assistant", "content": response.content}, *replies]
        response = client.messages.create(messages=messages, **asked)
print(response.content[0].text)
