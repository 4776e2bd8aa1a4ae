#!/usr/bin/env python3
"""Runs one command once, as a whole process, and prints what it cost.

    measure.py FOLDER VARIABLES CODE COMMAND…

FOLDER is where it runs, VARIABLES a dotenv file that is added to its environment (- for none), CODE the exit code that it
must have. Prints CPU seconds (user and system, with children that it waited for), wall seconds and peak memory in KiB. The
command's standard output goes nowhere; what it says on standard error is shown if it ends otherwise than expected.

This is a process of its own, and imports next to nothing, because Linux counts the memory of whoever starts a process
into that process's peak: the floor of all figures is what this one holds (`measure.py . - 0 /bin/true` tells).
"""

import os
import sys
import time


def environment(path):
    given = dict(os.environb)
    if path != "-":
        with open(path, "rb") as file:
            given.update(line.split(b"=", 1) for line in file.read().splitlines())
    return given


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    folder, variables, expected, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    given = environment(variables)
    os.chdir(folder)
    said = os.memfd_create("said")
    redirected = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, said, 2),
    ]
    start = time.monotonic()
    process = os.posix_spawnp(command[0], command, given, file_actions=redirected)
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - start
    code = os.waitstatus_to_exitcode(status)
    if code != expected:
        words = os.pread(said, 4000, 0).decode(errors="replace")
        sys.exit(f"measure: exit code {code} where {expected} was expected: {' '.join(command)}\n{words}")
    print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)


if __name__ == "__main__":
    main()
