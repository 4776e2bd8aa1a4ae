#!/usr/bin/env python3
"""Writes packaging/function-order.txt: the functions that everyday commands run, so that the linker can put them side by side.

    function-order.py PROGRAM   a release program with its symbols: `swift build -c release …` without `-Xlinker -s`

Without the list these functions are scattered over 18 MB of code, and each command reads 12 to 18 MB of it. Names that a later program
does not have are ignored, and functions that the list does not have are placed as before: it may be out of date.
"""
import collections, os, pathlib, re, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "Benchmarks"))
import counts

commands = [
    (["get", "active.main"], 0), (["env"], 0), (["run", "--", "./no-program"], 127), (["validate"], 0), (["plan"], 0),
    (["drift"], 0), (["apply", "--yes"], 0),
]


def functions(program, folder, shim, words, code):
    """The names of the functions that ran, mangled."""
    trace = os.path.join(folder, "trace")
    counts.run(
        ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={trace}", program, *words], folder, code,
        LD_PRELOAD=shim)
    # Objects and functions are numbered, and named where they stand first; callees (cob, cfn) share the numbers.
    named = {"ob": {}, "fn": {}}
    found, here = set(), False
    with open(trace, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
            if not match:
                continue
            callee, kind, number, name = match.groups()
            name = named[kind].setdefault(number, name)
            if callee:
                continue
            if kind == "ob":
                here = os.path.basename(name) == os.path.basename(program)
            elif here:
                # A function that calls itself is counted again as name'2.
                found.add(name.split("'")[0])
    return found


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="keyplan-order-") as folder:
        # The compiler's debug information is more than old versions of valgrind can read.
        copy = os.path.join(folder, "keyplan")
        subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
        counts.prepare(folder, copy)
        place = os.path.join(folder, counts.DEEP)
        times = collections.Counter()
        for words, code in commands:
            found = functions(copy, place, os.path.join(folder, "shim.so"), words, code)
            print(f"{' '.join(words)}: {len(found)} functions")
            times.update(found)
    order = sorted(times, key=lambda name: (-times[name], name))
    lines = [f".text.{name}" for name in order if re.fullmatch(r"[$\w.]+", name)]
    (root / "packaging/function-order.txt").write_text("\n".join(lines) + "\n")
    print(f"function-order: {len(lines)} functions")


main()
