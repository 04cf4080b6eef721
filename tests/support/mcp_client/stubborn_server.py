"""
A server of MCP that neither the end of its input nor a signal ends, with a child of its kind.

    python stubborn_server.py FILE

It writes its number and that of the child to FILE, and to it, too, what it was called.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

file = Path(sys.argv[1])
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
sleep = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", sleep])  # noqa: S603
file.write_text(f"{os.getpid()} {child.pid}\n")
TOOL = {"name": "write_note", "description": "Write.", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") is None:
        continue
    about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "a", "version": "1"}}
    results = {
        "initialize": {**about, "capabilities": {"tools": {}}},
        "tools/list": {"tools": [TOOL]},
    }
    if message["method"] == "tools/call":
        with file.open("a") as log:
            log.write("called\n")
        time.sleep(600)
    result = results.get(message["method"])
    answer = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
    sys.stdout.flush()
time.sleep(600)
