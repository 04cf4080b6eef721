"""
Runs a server as a child, and kills it with all that it started when this program is gone.

    python keeper.py LIFELINE PROGRAM [ARGUMENT...]

LIFELINE is the number of a pipe whose other end the program holds that wants the server: at its end
that program has ended, be it killed. Run as a script, so that it loads nothing else.
"""

import os
import select
import signal
import sys

CANNOT_START = 127


def main(lifeline: int, command: list[str]) -> int:
    """Run `command` to its end; returns its status, 128 and more for a signal."""
    # It is not the server's to hold.
    os.set_inheritable(lifeline, False)  # noqa: FBT003 - it takes no names
    # What ends the group is for the server; this process goes when that has gone.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, _wake)
    child = os.fork()
    if child == 0:
        _become(command)
    _let_go()
    while True:
        ready, _, _ = select.select([lifeline, woken], [], [])
        if lifeline in ready:
            os.killpg(0, signal.SIGKILL)
        os.read(woken, 64)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _wake(number: int, frame: object) -> None:
    """Nothing is to be done: that it is called writes to the pipe."""
    del number, frame


def _become(command: list[str]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the user's own words, and no shell
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(CANNOT_START)


def _let_go() -> None:
    """Hold none of the server's pipes, whose ends tell that it has closed them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.close(nothing)


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), sys.argv[2:]))
