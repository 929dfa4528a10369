"""Becomes a PostgreSQL program that is never root and never outlives the process that owns it.

A script of its own (`launch.py OWNER_PID IDENTITY DEATH_SIGNAL PROGRAM [ARGUMENT...]`), because
what it does must happen between fork and exec, where a threaded parent may not run Python.
IDENTITY is one of
  same                    stay who we are
  namespace:UID:GID       a user namespace in which we are UID: files stay ours outside of it
  user:UID:GID            give up root for good
"""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
REFUSED = 77
"""Exit status when the identity can't be taken here (EX_NOPERM)."""


def _enter_namespace(libc: ctypes.CDLL, uid: int, gid: int) -> None:
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "user namespaces are not permitted")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {outer_uid} 1\n"),
        ("gid_map", f"{gid} {outer_gid} 1\n"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def main(arguments: list[str]) -> None:
    owner, identity, death_signal, program, *rest = arguments
    kind, *ids = identity.split(":")
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        if kind == "namespace":
            _enter_namespace(libc, int(ids[0]), int(ids[1]))
        elif kind == "user":
            os.setgroups([])
            os.setgid(int(ids[1]))
            os.setuid(int(ids[0]))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED)
    # After the change of identity, which clears the death signal.
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, int(death_signal))
    if os.getppid() != int(owner):  # it died before the signal was asked for
        sys.exit(0)
    os.execv(program, [program, *rest])  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
