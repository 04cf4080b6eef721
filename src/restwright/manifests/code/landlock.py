"""
Files that a process may reach, held by Landlock. Standard library only.

Source: Linux man-pages, "landlock(7)".
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

_LIBC = ctypes.CDLL(None, use_errno=True)
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
TRUNCATE_VERSION = 3
"""From this one on, files that may not be written are not truncated either."""

_FILE_READ, _FOLDER_READ = 1 << 0 | 1 << 2, 1 << 3  # execute and read; list
_FILE_WRITE = 1 << 1 | 1 << 14  # write, truncate
_RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15, 5: 1 << 16}
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


def landlock_version() -> int:
    """Of what this kernel has of it, from 1; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def restrict_files(
    reads: Iterable[str], *, writes: tuple[str, ...], network: bool, version: int
) -> list[str]:
    """
    Keep this process from all files but `reads`, what programs need of a system, and `writes`.

    Args:
        reads: Files and folders; what is not there is passed over.
        writes: Files and folders.
        network: Whether TCP may be used.
        version: Which to keep to; 0 for none.

    Returns:
        What holds.
    """
    if version < 1:
        return []
    rights = _RIGHTS.get(version, 1 << 16) - 1
    tcp = 0 if network else 3
    wanted = struct.pack("=QQQ", rights, tcp, 3)[
        : {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}.get(version, 24)
    ]
    rules = _LIBC.syscall(_CREATE, wanted, ctypes.c_size_t(len(wanted)), 0)
    if rules < 0:
        return []
    for path in {*reads, *SYSTEM}:
        _allow_path(rules, path, (_FILE_READ | _FOLDER_READ) & rights)
    for path, right in _DEVICES.items():
        _allow_path(rules, path, right & rights)
    for path in writes:
        _allow_path(rules, path, rights & ~_DEVICE_CONTROL & ~_MAKE_DEVICES)
    held = _LIBC.syscall(_RESTRICT, rules, 0) == 0
    os.close(rules)
    if not held:
        return []
    return ["files", *(["no TCP"] if version >= 4 and tcp else []), *_describe_scope(version)]


def _describe_scope(version: int) -> list[str]:
    return ["no signals to others"] if version >= 6 else []


def _allow_path(rules: int, path: str, rights: int) -> None:
    with suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):  # noqa: PTH112 - `pathlib` would cost its import
            rights &= _FILE_READ | _FILE_WRITE
        _LIBC.syscall(_ADD, rules, 1, struct.pack("=Qi", rights, place), 0)
        os.close(place)
