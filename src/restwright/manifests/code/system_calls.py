"""
A filter of system calls: what Landlock and namespaces do not cover. Standard library only.

Landlock covers neither modes, owners, times, attributes and flags of files nor, before version 3,
truncating; and of sockets only TCP.

Source: Linux man-pages, "seccomp(2)", "landlock(7)"; `asm/unistd_64.h`, `asm-generic/unistd.h`.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import TypeAlias

_LIBC = ctypes.CDLL(None, use_errno=True)

_SECCOMP, _FILTER = 22, 2
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_WHOLE = 0xFFFFFFFF

Instruction: TypeAlias = tuple[int, int, int, int]

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ABSENT = -1
# Tracing, memory of others, keys of the kernel, rings that go around this filter, memory that no
# limit counts, objects that all processes of the user share, namespaces.
_POWERS = {
    "ptrace": (101, 117),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "unshare": (272, 97),
    "setns": (308, 268),
}
# What changes a file, but for its content. These are passed over: they do nothing and do not fail,
# since `shutil.copy` and much that builds on it does not expect that they may.
_METADATA = {
    "chmod": (90, _ABSENT),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, _ABSENT),
    "lchown": (94, _ABSENT),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, _ABSENT),
    "utimes": (235, _ABSENT),
    "futimesat": (261, _ABSENT),
    "utimensat": (280, 88),
}
_ATTRIBUTES = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}
# What is refused for some arguments.
_LOOKED_INTO = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "ioctl": (16, 29),
    "truncate": (76, 45),
    "open": (2, _ABSENT),
    "openat": (257, 56),
    "openat2": (437, 437),
}
_NUMBERS = {**_POWERS, **_METADATA, **_ATTRIBUTES, **_LOOKED_INTO}
"""By name: on x86-64, and on ARM64."""
_FIRST_UNKNOWN = 463
"""From here on calls are newer than this table; `setxattrat` and `file_setattr` are among them."""

_UNIX, _INTERNET, _NETLINK = 1, (2, 10), 16
_STREAM, _KIND_OF_SOCKET = 1, 0xF
_TERMINALS_AND_PIPES = (0x5401, 0x802C542A, 0x540F, 0x5411, 0x5413, 0x541B)
_DESCRIPTORS = (0x5421, 0x5450, 0x5451, 0x5452)
_INTERFACES = (0x8905, 0x8910, 0x8912, 0x8913, 0x8915, 0x8919, 0x891B, 0x8921, 0x8927, 0x8933)
_TRUNCATE, _ACCESS, _NEITHER = 0o1000, 0o3, 0o3


def refuse_calls(*, sockets: bool, network: bool, metadata: bool, truncating: bool) -> list[str]:
    """
    Refuse system calls that code does not need, for good.

    Args:
        sockets: Whether Unix sockets may be used. Without a network, code may listen, and be
            spoken to, only.
        network: Whether there is one.
        metadata: Whether modes, owners, times and attributes of files may be changed, its own too:
            the filter sees no paths.
        truncating: Whether files that are not open for writing may be cut.

    Returns:
        What holds; nothing on a processor whose calls are not known here.
    """
    program = compile_filter(
        platform.machine(),
        sockets=sockets,
        network=network,
        metadata=metadata,
        truncating=truncating,
    )
    if not program or sys.byteorder != "little" or not _install_filter(program):
        return []
    return ["system calls", *_describe_filter(sockets=sockets, network=network, metadata=metadata)]


def compile_filter(
    machine: str, *, sockets: bool, network: bool, metadata: bool, truncating: bool
) -> list[Instruction]:
    """The filter of `refuse_calls()` on a processor; nothing where its calls are not known."""
    if machine not in _ARCHITECTURES:
        return []
    numbers = _CallRules(list(_ARCHITECTURES).index(machine))
    return [
        *_require_architecture(_ARCHITECTURES[machine]),
        *numbers.refuse(_POWERS),
        *numbers.allow_only("ioctl", 1, _allowed_ioctls(network=network), error=errno.ENOTTY),
        *_socket_rules(numbers, sockets=sockets, network=network),
        *([] if metadata else numbers.refuse(_METADATA, error=0)),
        *([] if metadata else numbers.refuse(_ATTRIBUTES, error=errno.EOPNOTSUPP)),
        *([] if truncating else _truncation_rules(numbers)),
        (_RETURN, 0, 0, _ALLOW),
    ]


class _CallRules:
    """Rules by the names of calls, whose numbers an architecture has at `place` of the table."""

    def __init__(self, place: int) -> None:
        self._place = place

    def refuse(self, names: Iterable[str], *, error: int = errno.EPERM) -> Iterator[Instruction]:
        """Refuse calls whatever their arguments are."""
        for number in self._known_numbers(names):
            yield (_EQUAL, 0, 1, number)
            yield _refuse_with(error)

    def allow_only(
        self, name: str, at: int, values: Iterable[int], *, mask: int = _WHOLE, error: int
    ) -> Iterator[Instruction]:
        """Refuse a call unless its argument `at` is, under a mask, one of `values`."""
        yield from self._check_argument(name, at, mask, _refuse_unless(list(values), error))

    def refuse_if(
        self, name: str, at: int, values: Iterable[int], *, mask: int, error: int
    ) -> Iterator[Instruction]:
        """Refuse a call if its argument `at` is, under a mask, one of `values`."""
        rules = [rule for value in values for rule in ((_EQUAL, 0, 1, value), _refuse_with(error))]
        yield from self._check_argument(name, at, mask, rules)

    def _check_argument(
        self, name: str, at: int, mask: int, rules: list[Instruction]
    ) -> Iterator[Instruction]:
        # The lower half of an argument: all of these are of 32 bits.
        load = (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * at)
        body = [load, (_AND, 0, 0, mask), *rules, (_LOAD, 0, 0, _NUMBER_AT)]
        for number in self._known_numbers([name]):
            yield (_EQUAL, 0, len(body), number)
            yield from body

    def _known_numbers(self, names: Iterable[str]) -> Iterator[int]:
        found = (_NUMBERS[name][self._place] for name in names)
        return (number for number in found if number != _ABSENT)


def _refuse_with(error: int) -> Instruction:
    return (_RETURN, 0, 0, _REFUSE | error)


def _refuse_unless(values: list[int], error: int) -> list[Instruction]:
    jumps = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [*jumps, _refuse_with(error)]


def _require_architecture(architecture: int) -> Iterator[Instruction]:
    yield (_LOAD, 0, 0, _ARCHITECTURE_AT)
    yield (_EQUAL, 1, 0, architecture)
    yield _refuse_with(errno.EPERM)
    yield (_LOAD, 0, 0, _NUMBER_AT)
    # Calls of another form of the same architecture have numbers far behind these.
    yield (_AT_LEAST, 0, 1, _FIRST_UNKNOWN)
    yield _refuse_with(errno.ENOSYS)


def _allowed_ioctls(*, network: bool) -> tuple[int, ...]:
    """The `ioctl` of terminals, pipes and sockets; others set flags of files and make snapshots."""
    return (*_TERMINALS_AND_PIPES, *_DESCRIPTORS, *(_INTERFACES if network else ()))


def _socket_rules(numbers: _CallRules, *, sockets: bool, network: bool) -> Iterator[Instruction]:
    families = (*((_UNIX,) if sockets else ()), *((*_INTERNET, _NETLINK) if network else ()))
    if not network:
        # What lists the addresses of this machine; ZeroMQ bears no other error.
        error = errno.EOPNOTSUPP
        yield from numbers.refuse_if("socket", 0, (_NETLINK,), mask=_WHOLE, error=error)
    yield from numbers.allow_only("socket", 0, families, error=errno.EAFNOSUPPORT)
    yield from numbers.allow_only("socketpair", 0, (_UNIX,), error=errno.EAFNOSUPPORT)
    if not (sockets and network):
        yield from _datagram_rules(numbers, "socketpair")
    if not network:
        yield from _datagram_rules(numbers, "socket")
        yield from numbers.refuse(["connect"])


def _datagram_rules(numbers: _CallRules, name: str) -> Iterator[Instruction]:
    """Refuse sockets of datagrams, which are sent to any address without a connection."""
    return numbers.allow_only(name, 1, (_STREAM,), mask=_KIND_OF_SOCKET, error=errno.EPERM)


def _truncation_rules(numbers: _CallRules) -> Iterator[Instruction]:
    """Refuse what cuts a file by its path, and by opening it to read or for neither."""
    yield from numbers.refuse(["truncate"])
    # Its flags lie behind a pointer; who finds that it is missing takes `openat`.
    yield from numbers.refuse(["openat2"], error=errno.ENOSYS)
    flags = (_TRUNCATE, _TRUNCATE | _NEITHER)
    for name, at in (("open", 1), ("openat", 2)):
        yield from numbers.refuse_if(name, at, flags, mask=_TRUNCATE | _ACCESS, error=errno.EPERM)


def _install_filter(program: list[Instruction]) -> bool:
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    kept = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(kept))
    return bool(_LIBC.prctl(_SECCOMP, _FILTER, header, 0, 0) == 0)


def _describe_filter(*, sockets: bool, network: bool, metadata: bool) -> Iterator[str]:
    if not network:
        yield "no network"
    if not sockets:
        yield "no Unix sockets"
    elif not network:
        yield "no connections"
    if not metadata:
        yield "no metadata changes"
