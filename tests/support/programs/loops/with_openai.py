"""Answers a question about a shop with a model of OpenAI; each change is asked about."""

import sys

from openai import OpenAI

import restwright as rw

client = OpenAI()
tools = rw.toolbox(sys.argv[1], auth="env:SHOP_TOKEN")
messages = [
    {"role": "system", "content": tools.instructions},
    {"role": "user", "content": sys.argv[2]},
]
offer = tools.for_("openai", about=sys.argv[2])
while True:
    response = client.chat.completions.create(model="gpt-5", tools=offer, messages=messages)
    message = response.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        reply = tools.reply("openai", call)
        if reply.pending:
            is_allowed = input(f"{reply.pending.question} [y/N] ") == "y"
            reply = (tools.approve if is_allowed else tools.refuse)(reply.pending)
        messages.append(reply)
print(message.content)
