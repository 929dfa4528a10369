"""Runs a PostgreSQL program that is never root and never outlives the process that owns it.

It is a separate script (`launch.py OWNER_PID IDENTITY DEATH_SIGNAL PROGRAM [ARGUMENT...]`),
because the user is changed and the death signal is set between fork and exec, where a process with
threads may not run Python. The script then becomes the program. IDENTITY is one of
  same                    keep the current user
  namespace:UID:GID       enter a user namespace in which the current user has the id UID
  user:UID:GID            give up root for good
An argument `@dir:PATH` is replaced by a path through a descriptor of that folder, opened before the
change of user: the new user can reach the folder even if it may not enter the folders above.
"""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
REFUSED_STATUS = 77
"""Exit status of this script if it can't become the user that its argument IDENTITY names
(EX_NOPERM)."""
CANNOT_RUN_STATUS = 126
"""Exit status of this script if it has switched to another user, and that user can't run the
program."""
FOLDER = "@dir:"


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


def _by_descriptor(argument: str) -> str:
    if not argument.startswith(FOLDER):
        return argument
    descriptor = os.open(argument.removeprefix(FOLDER), os.O_PATH | os.O_DIRECTORY)
    os.set_inheritable(descriptor, True)
    return f"/proc/self/fd/{descriptor}"


def main(arguments: list[str]) -> None:
    owner, identity, death_signal, program, *rest = arguments
    kind, *ids = identity.split(":")
    libc = ctypes.CDLL(None, use_errno=True)
    rest = [_by_descriptor(argument) for argument in rest]
    try:
        if kind == "namespace":
            _enter_namespace(libc, int(ids[0]), int(ids[1]))
        elif kind == "user":
            os.setgroups([])
            os.setgid(int(ids[1]))
            os.setuid(int(ids[0]))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED_STATUS)
    # This comes after the change of user, because such a change clears the death signal.
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, int(death_signal))
    if os.getppid() != int(owner):  # the owner died before the signal was set
        sys.exit(0)
    try:
        os.execv(program, [program, *rest])  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{program}: {error.strerror}\n")
        sys.exit(CANNOT_RUN_STATUS)


if __name__ == "__main__":
    main(sys.argv[1:])
