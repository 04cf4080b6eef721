"""
What a process takes from itself before it becomes code that nobody trusts. Standard library only.

Every layer is tried and named where it holds, since what a system offers differs: limits are
everywhere, the rest is Linux. None of them needs rights.

Source: Linux man-pages, "landlock(7)", "namespaces(7)", "seccomp(2)", "capabilities(7)".
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)

_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_NEW_IPC, _NEW_NAMES = 0x08000000, 0x04000000
_PARENT_DEATH, _NO_NEW_PRIVILEGES, _SECCOMP, _SUBREAPER = 1, 38, 22, 36

_FILE_READ, _FOLDER_READ = 1 << 0 | 1 << 2, 1 << 3  # execute and read; list
_FILE_WRITE = 1 << 1 | 1 << 14  # write, truncate
_FIRST_FILE_RIGHTS = (1 << 13) - 1
_LANDLOCK_RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15, 5: 1 << 16}
_DEVICE_CONTROL = 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11

_DEVICES = {
    "/dev/null": _FILE_READ | _FILE_WRITE,
    "/dev/zero": _FILE_READ,
    "/dev/urandom": _FILE_READ,
    "/dev/random": _FILE_READ,
    "/dev/full": _FILE_READ,
}
SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt/homebrew"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/ssl", "/etc/pki", "/etc/ca-certificates"),
    *("/etc/fonts", "/etc/mime.types", "/etc/alternatives", "/etc/nsswitch.conf", "/etc/hosts"),
    *("/etc/resolv.conf", "/etc/host.conf", "/etc/services", "/etc/protocols", "/etc/gai.conf"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/run/systemd/resolve"),
)
"""What programs need of a system and what tells nothing of its user."""

# `socket`; `connect`; and what gives more than code needs: tracing, keys of the kernel, memory of
# others, memory that no limit counts, rings that go around this filter.
_CALLS = {
    "x86_64": (
        *(0xC000003E, 41, 42),
        (29, 101, 248, 249, 250, 298, 310, 311, 319, 321, 323, 425, 447),
    ),
    "aarch64": (
        *(0xC00000B7, 198, 203),
        (117, 194, 217, 218, 219, 241, 270, 271, 279, 280, 282, 425, 447),
    ),
}
_PAIRS = {"x86_64": 53, "aarch64": 199}
_DATAGRAMS, _KIND_OF_SOCKET = 2, 0xF
_WATCHERS = 2
"""Processes of ours that count as the code's."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1


def own_namespaces(*, network: bool) -> list[str]:
    """
    Leave the machine's processes, and its network where `network` is False, by a namespace.

    The processes that are forked next are in it; the first of them ends all others with itself.

    Returns:
        What holds: `processes` and `network`; nothing where namespaces are not allowed.
    """
    if sys.platform != "linux":
        return []
    user, group = os.geteuid(), os.getegid()
    spaces = _NEW_USER | _NEW_PIDS | _NEW_IPC | _NEW_NAMES | (0 if network else _NEW_NETWORK)
    if _LIBC.unshare(spaces) != 0:
        return []
    with suppress(OSError):
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    with suppress(OSError):
        _write("/proc/self/uid_map", f"{user} {user} 1")
        # No further namespaces, in which it would be an administrator.
        _write("/proc/sys/user/max_user_namespaces", "0")
    return ["own processes"] if network else ["own processes", "no network"]


def adopt_orphans() -> None:
    """Become the parent of what descendants leave behind."""
    if sys.platform == "linux":
        _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends."""
    if sys.platform == "linux":
        _LIBC.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def limit(limits: Mapping[str, float], *, has_own_processes: bool) -> list[str]:
    """Hold this process, and what it starts, to `limits` of the system."""
    memory = int(limits["memory_bytes"])
    table = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: int(limits["file_bytes"]),
        resource.RLIMIT_NOFILE: int(limits["open_files"]),
        resource.RLIMIT_DATA: memory,
        # Of addresses much more is taken than of memory: libraries, stacks of threads.
        resource.RLIMIT_AS: memory + 2**30,
    }
    if has_own_processes:
        # Without a namespace all processes of the user would count.
        table[resource.RLIMIT_NPROC] = int(limits["processes"]) + _WATCHERS
    for kind, most in table.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
    computing = int(limits["cpu_seconds"])
    # A second between the signal that says why and the one that nobody can ignore.
    resource.setrlimit(resource.RLIMIT_CPU, (computing, computing + 1))
    return ["limits"]


def give_up_rights(*, reads: Iterable[str], writes: str, network: bool, sockets: bool) -> list[str]:
    """
    Keep this process, for good, from all files but these, and from gaining anything.

    Args:
        reads: Files and folders; what is not there is passed over.
        writes: The one folder that may be changed.
        network: Whether TCP may be used.
        sockets: Whether Unix sockets may be.

    Returns:
        What holds.
    """
    if sys.platform != "linux" or _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return []
    held = ["no new privileges"]
    held += _landlock({*reads, *SYSTEM}, writes=writes, network=network)
    _drop_capabilities()
    return held + _filter_calls(sockets=sockets, network=network)


def _landlock(reads: set[str], *, writes: str, network: bool) -> list[str]:
    version = _LIBC.syscall(444, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return []
    rights = _LANDLOCK_RIGHTS.get(version, 1 << 16) - 1
    tcp = 0 if network else 3
    wanted = struct.pack("=QQQ", rights, tcp, 3)[
        : {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}.get(version, 24)
    ]
    rules = _LIBC.syscall(444, wanted, ctypes.c_size_t(len(wanted)), 0)
    if rules < 0:
        return []
    for path in reads:
        _allow(rules, path, (_FILE_READ | _FOLDER_READ) & rights)
    for path, right in _DEVICES.items():
        _allow(rules, path, right & rights)
    _allow(rules, writes, rights & ~_DEVICE_CONTROL & ~_MAKE_DEVICES)
    held = _LIBC.syscall(446, rules, 0) == 0
    os.close(rules)
    if not held:
        return []
    return ["files", *(["no TCP"] if version >= 4 and tcp else []), *_scoped(version)]


def _scoped(version: int) -> list[str]:
    return ["no signals to others"] if version >= 6 else []


def _allow(rules: int, path: str, rights: int) -> None:
    with suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):  # noqa: PTH112 - `pathlib` would cost its import
            rights &= _FILE_READ | _FILE_WRITE
        _LIBC.syscall(445, rules, 1, struct.pack("=Qi", rights, place), 0)
        os.close(place)


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", 0x20080522, 0)
    with suppress(AttributeError):
        _LIBC.capset(header, bytes(24))


def _filter_calls(*, sockets: bool, network: bool) -> list[str]:
    """
    Refuse some system calls for good; Unix sockets lead to agents of keys and to containers.

    Where sockets are needed and no network is, code may listen, and be spoken to, only.
    """
    if platform.machine() not in _CALLS or sys.byteorder != "little":
        return []
    architecture, socket, connect, refused = _CALLS[platform.machine()]
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, architecture), (0x06, 0, 0, _REFUSE), (0x20, 0, 0, 0)]
    # Calls of another form of the same architecture have numbers from here on.
    program += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, _REFUSE)]
    listens = sockets and not network
    for number in (*refused, *((connect,) if listens else ())):
        program += [(0x15, 0, 1, number), (0x06, 0, 0, _REFUSE)]
    if listens:
        # Those are sent to any address without a connection.
        program += [(0x15, 0, 4, socket), (0x20, 0, 0, 24), (0x54, 0, 0, _KIND_OF_SOCKET)]
        program += [(0x15, 0, 1, _DATAGRAMS), (0x06, 0, 0, _REFUSE), (0x20, 0, 0, 0)]
        pair = _PAIRS[platform.machine()]
        program += [(0x15, 0, 4, pair), (0x20, 0, 0, 24), (0x54, 0, 0, _KIND_OF_SOCKET)]
        program += [(0x15, 0, 1, _DATAGRAMS), (0x06, 0, 0, _REFUSE), (0x20, 0, 0, 0)]
    if not sockets:
        program += [(0x15, 0, 3, socket), (0x20, 0, 0, 16), (0x15, 0, 1, 1), (0x06, 0, 0, _REFUSE)]
    program.append((0x06, 0, 0, _ALLOW))
    code = b"".join(struct.pack("=HBBI", *each) for each in program)
    held: Any = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(held))
    if _LIBC.prctl(_SECCOMP, 2, header, 0, 0) != 0:
        return []
    if not sockets:
        return ["system calls", "no Unix sockets"]
    return ["system calls", "no connections"] if listens else ["system calls"]


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
