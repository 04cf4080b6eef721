"""
What a process takes from itself before it becomes code that nobody trusts. Standard library only.

Every layer is tried and named where it holds, since what a system offers differs: limits are
everywhere, the rest is Linux. None of them needs rights.

Source: Linux man-pages, "namespaces(7)", "mount_setattr(2)", "capabilities(7)".
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress

from restwright.manifests.code import landlock
from restwright.manifests.code.system_calls import refuse_calls

_LIBC = ctypes.CDLL(None, use_errno=True)

_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_NEW_IPC, _NEW_NAMES, _NEW_MOUNTS = 0x08000000, 0x04000000, 0x00020000
_PARENT_DEATH, _NO_NEW_PRIVILEGES, _SUBREAPER = 1, 38, 36
_SET_ATTRIBUTES, _HERE, _ALL_BELOW = 442, -100, 0x8000
_READ_ONLY, _PRIVATE, _BIND = 1, 1 << 18, 1 << 12
_SET_INTERFACE_FLAGS, _UP, _RUNNING = 0x8914, 0x1, 0x40

_WATCHERS = 2
"""Processes of ours that count as the code's."""


def enter_namespaces(*, network: bool) -> list[str]:
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
        _write_file("/proc/self/setgroups", "deny")
        _write_file("/proc/self/gid_map", f"{group} {group} 1")
    with suppress(OSError):
        _write_file("/proc/self/uid_map", f"{user} {user} 1")
        # No further namespaces, in which it would be an administrator.
        _write_file("/proc/sys/user/max_user_namespaces", "0")
    return ["own processes"] if network else ["own processes", "no network"]


def open_loopback() -> bool:
    """Switch the loopback interface of this namespace on, which nothing else is reached by."""
    request = struct.pack("16sh14x", b"lo", _UP | _RUNNING)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            fcntl.ioctl(control.fileno(), _SET_INTERFACE_FLAGS, request)
    except OSError:
        return False
    return True


def adopt_orphans() -> None:
    """Become the parent of what descendants leave behind."""
    if sys.platform == "linux":
        _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends."""
    if sys.platform == "linux":
        _LIBC.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def set_resource_limits(limits: Mapping[str, float], *, has_own_processes: bool) -> list[str]:
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


def protect_files_outside(folder: str, writes: tuple[str, ...] = ()) -> list[str]:
    """
    Make all files but those of `folder` read-only for this process, and start in that folder.

    Args:
        writes: Files and folders that may be changed as well.

    To be called in a namespace of its own. Unlike Landlock, this holds for modes, owners, times
    and attributes of files too.

    Returns:
        What holds; nothing where the kernel refuses (it is older than 5.12, or a policy says so).

    Raises:
        OSError: The folder cannot be kept apart.
    """
    if sys.platform != "linux" or _LIBC.unshare(_NEW_MOUNTS) != 0:
        return []
    if _set_mount_attributes("/", _ALL_BELOW, struct.pack("=4Q", _READ_ONLY, 0, _PRIVATE, 0)) != 0:
        return []
    for path in (folder, *writes):
        place = os.fsencode(path)
        if _LIBC.mount(place, place, None, _BIND, None) != 0 or _set_mount_attributes(
            path, 0, struct.pack("=4Q", 0, _READ_ONLY, 0, 0)
        ):
            raise OSError(ctypes.get_errno(), "its folder cannot be kept apart")
    # What was opened before leads to the files as they are elsewhere: they could be changed.
    os.chdir(folder)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    return ["read-only outside"]


def _set_mount_attributes(path: str, flags: int, attributes: bytes) -> int:
    size = ctypes.c_size_t(len(attributes))
    found = _LIBC.syscall(
        _SET_ATTRIBUTES, _HERE, ctypes.c_char_p(os.fsencode(path)), flags, attributes, size
    )
    return int(found)


def give_up_rights(
    *,
    reads: Iterable[str],
    writes: tuple[str, ...],
    network: bool,
    sockets: bool,
    is_protected: bool,
    version: int,
) -> list[str]:
    """
    Keep this process, for good, from all files but these, and from gaining anything.

    Args:
        reads: Files and folders; what is not there is passed over.
        writes: The files and folders that may be changed.
        network: Whether there may be one.
        sockets: Whether Unix sockets may be used.
        is_protected: Whether files outside of that folder are read-only already.
        version: Of Landlock; see `landlock.version()`.

    Returns:
        What holds.
    """
    if sys.platform != "linux" or _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return []
    held = ["no new privileges"]
    held += landlock.restrict_files(reads, writes=writes, network=network, version=version)
    _drop_capabilities()
    return held + refuse_calls(
        sockets=sockets,
        network=network,
        metadata=is_protected,
        truncating=is_protected or version >= landlock.TRUNCATE_VERSION,
    )


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", 0x20080522, 0)
    with suppress(AttributeError):
        _LIBC.capset(header, bytes(24))


def _write_file(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
