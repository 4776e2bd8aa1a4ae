#!/usr/bin/env python3
"""Counts the instructions of everyday commands, and compares them with counts.txt. scripts/counts.sh calls it.

    counts.py PROGRAM [--record] [--baseline FILE]

Times depend on what else the machine does; instruction counts hardly do. They depend on the compiler, the libraries and the
processor's features, so a baseline names these, and nothing fails where they differ.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = 1000
# The everyday case: few keys, in a folder below others, on a machine that knows other stores.
FEW, DEEP, STORES = 10, os.path.join("deep", *"abcdefgh"), 50
# How much more counts as a step back; as much less, and the baseline is out of date.
TOLERANCE = 0.03
# What threads that begin and end at other moments make of the smallest counts.
NOISE = 600_000
LIBRARIES = ("libc6", "libstdc++6", "libsqlite3-0", "libssl3", "libssl3t64", "libyaml-0-2", "valgrind")

# Valgrind before 3.20 writes to the mask that `sigsuspend` is given, and ends where that is read-only, as libdispatch's is.
SHIM = """
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return syscall(SYS_rt_sigsuspend, &copy, 8);
}
"""

# Name, folder, arguments, exit code.
CASES = [
    ("version", "applied", ["--version"], 0),
    ("help", "applied", ["--help"], 0),
    ("validate", "applied", ["validate"], 0),
    ("plan, nothing to do", "applied", ["plan"], 0),
    ("plan, all values changed", "changed", ["plan"], 0),
    ("apply, nothing to do", "applied", ["apply", "--yes"], 0),
    ("drift", "applied", ["drift"], 0),
    ("get", "applied", ["get", "active.main"], 0),
    ("env", "applied", ["env"], 0),
    # Up to the program that takes its place: there is none, so that keyplan is left to be counted.
    ("run", "applied", ["run", "--", "./no-program"], 127),
    ("env --format", "applied", ["env", "--format", "dotenv"], 0),
    ("keys", "applied", ["keys"], 0),
    ("keys history", "applied", ["keys", "history"], 0),
    ("validate, 10 keys", DEEP, ["validate"], 0),
    ("plan, 10 keys", DEEP, ["plan"], 0),
    ("drift, 10 keys", DEEP, ["drift"], 0),
    ("get, 10 keys", DEEP, ["get", "active.main"], 0),
    ("run, 10 keys", DEEP, ["run", "--", "./no-program"], 127),
]


def environment(folder):
    return {
        "HOME": folder + "-home", "USER": "counter", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
        "KEYPLAN_CHECKOUT": "trusted", "SWIFT_DETERMINISTIC_HASHING": "1",
    }


def run(words, folder, code=0, **variables):
    done = subprocess.run(
        words, cwd=folder, env=environment(folder) | variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, check=False)
    if done.returncode != code:
        sys.exit(f"counts: {' '.join(words)} ended with {done.returncode}, not {code}:\n"
                 + done.stderr.decode(errors="replace"))


def prepare(root, program):
    """A project whose keys are stored and synced, and the same with other values at the sources."""
    applied = os.path.join(root, "applied")
    generate.generate(applied, KEYS, "target")
    os.mkdir(applied + "-home")
    run([program, "init", "--quiet"], applied)
    run([program, "apply", "--yes", "--quiet"], applied)
    changed = os.path.join(root, "changed")
    for part in ("", "-home"):
        shutil.copytree(applied + part, changed + part)
    # What the machine knows of stores names folders.
    known = os.path.join(changed + "-home", ".local", "state", "keyplan", "known_stores")
    with open(known, encoding="utf-8") as file:
        text = file.read()
    generate.write(known, text.replace(applied, changed))
    generate.write(os.path.join(changed, ".env"), generate.dotenv(KEYS, salt=1))
    deep = os.path.join(root, DEEP)
    os.makedirs(os.path.dirname(deep))
    generate.generate(deep, FEW, "target")
    os.mkdir(deep + "-home")
    run([program, "init", "--quiet"], deep)
    run([program, "apply", "--yes", "--quiet"], deep)
    known = os.path.join(deep + "-home", ".local", "state", "keyplan", "known_stores")
    with open(known, encoding="utf-8") as file:
        text = file.read()
    others = "".join(text.replace(deep, f"/other/{number}") for number in range(STORES))
    generate.write(known, others + text)
    with subprocess.Popen(
        ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(root, "shim.so")], stdin=subprocess.PIPE) as compiler:
        compiler.communicate(SHIM.encode())


def count(program, root, folder, arguments, code):
    log = os.path.join(root, "callgrind.log")
    run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", program, *arguments],
        os.path.join(root, folder), code, LD_PRELOAD=os.path.join(root, "shim.so"))
    with open(log, encoding="utf-8", errors="replace") as file:
        found = re.search(r"Collected : (\d+)", file.read())
    if not found:
        sys.exit(f"counts: callgrind says nothing of keyplan {' '.join(arguments)}")
    return int(found.group(1))


def surroundings():
    """What counts depend on besides the program's own code, by name."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    found = {"swift": re.search(r"Swift version (\S+)", swift).group(1)}
    for package in LIBRARIES:
        asked = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
        if version := asked.stdout.strip():
            found[package] = version
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    found["processor"] = " ".join([os.uname().machine] + [flag for flag in ("avx2", "bmi2", "erms", "fsrm") if flag in flags])
    return found


def read(path):
    around, counts = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            name, _, value = line.rstrip("\n").partition(": ")
            if value.strip().replace(",", "").isdigit():
                counts[name] = int(value.replace(",", ""))
            else:
                around[name] = value
    return around, counts


def write(path, around, counts):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# Instructions of one run each, {KEYS:,} keys where no number is named, release build. Record with: make counts COUNTS=--record\n\n")
        file.write("".join(f"{name}: {value}\n" for name, value in around.items()))
        file.write("\n")
        file.write("".join(f"{name}: {value:,}\n" for name, value in counts.items()))


def compare(counts, baseline):
    """The names of those that are too many, and whether any is far less."""
    worse, is_old = [], False
    for name, found in counts.items():
        recorded = baseline.get(name)
        if recorded is None:
            print(f"  {name:26}{found:>15,}   not in the baseline")
            is_old = True
            continue
        change = found / recorded - 1
        is_more = change > TOLERANCE and found - recorded > NOISE
        print(f"  {name:26}{found:>15,}   {change:+.1%}" + ("   MORE" if is_more else ""))
        if is_more:
            worse.append(name)
        is_old = is_old or change < -TOLERANCE
    return worse, is_old


def main():
    parser = argparse.ArgumentParser(description="Counts the instructions of everyday commands.")
    parser.add_argument("program")
    parser.add_argument("--record", action="store_true", help="write the baseline")
    parser.add_argument("--baseline", default=os.path.join(HERE, "counts.txt"))
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    if not options.record and not os.path.exists(options.baseline):
        print(f"counts: nothing to compare with in {options.baseline}; record with: make counts COUNTS=--record")
        return
    around = surroundings()
    with tempfile.TemporaryDirectory(prefix="keyplan-counts-") as root:
        prepare(root, program)
        counts = {name: count(program, root, folder, words, code) for name, folder, words, code in CASES}
    if options.record:
        write(options.baseline, around, counts)
        print(f"counts: recorded in {options.baseline}")
        return
    recorded, baseline = read(options.baseline)
    worse, is_old = compare(counts, baseline)
    if differing := [name for name in recorded | around if recorded.get(name) != around.get(name)]:
        print("counts: nothing fails, because the baseline was recorded with other versions:")
        for name in differing:
            print(f"  {name}: {recorded.get(name, 'none')} there, {around.get(name, 'none')} here")
        return
    if worse:
        sys.exit(f"counts: more than {TOLERANCE:.0%} above the baseline: {', '.join(worse)}.\n"
                 "  Find out why (valgrind --tool=callgrind), or record with: make counts COUNTS=--record")
    if is_old:
        print("counts: less than the baseline; record with: make counts COUNTS=--record")
    else:
        print(f"counts: all within {TOLERANCE:.0%} of the baseline")


if __name__ == "__main__":
    main()
