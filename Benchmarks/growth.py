#!/usr/bin/env python3
"""Compares what commands cost for ten times as much of something: keys, targets, errors, permissions, history.

    growth.py [--size N] [--only WORD] [--runs N]

Runs the keyplan that is on PATH with N and with 10 N of each thing (default 1,000 and 10,000), prints a table in Markdown, and fails
where ten times as much costs more than LIMIT times the CPU. That is the least of the runs, because whatever else the machine does only adds
to it. A start is subtracted: it is most of what small sizes cost.
"""

import argparse
import os
import shutil
import sys
import tempfile

import bench
import generate

# Sorting and larger tables make a tenth or two of it.
LIMIT = 13.0
APPLY = ["keyplan", "apply", "--yes", "--quiet"]


def head(*lines):
    return "version: 1\n" + "".join(lines)


def shared(count):
    """Slots of keys with one variable, each an error but the first."""
    keys = "".join(f"  k{n}: {{ provider: generic, variable: A }}\n" for n in range(count))
    return head("keys:\n", keys, "active:\n", "".join(f"  s{n}: k{n}\n" for n in range(count)))


def candidates(count):
    """One slot with all keys."""
    keys = "".join(f"  k{n}: {{ provider: generic, variable: A }}\n" for n in range(count))
    return head("keys:\n", keys, "active:\n  main: [" + ", ".join(f"k{n}" for n in range(count)) + "]\n")


def connections(count):
    """A connection for each key."""
    places = "".join(f"  c{n}: {{ type: vault, address: \"https://v{n}.example\" }}\n" for n in range(count))
    keys = "".join(f"  k{n}: {{ provider: generic, source: \"c{n}://secret/app#a\" }}\n" for n in range(count))
    return head("connections:\n", places, "keys:\n", keys)


def accounts(count):
    return head("calendars:\n", "".join(
        f"  a{n}: {{ service: google, account: u{n}@example.com, client: {{ id: made-up-{n}, secret: \"env://MISSING_1\" }} }}\n"
        for n in range(count)))


def permissions(count):
    """A name that needs a permission for each key."""
    keys = "".join(
        f"  k{n}: {{ provider: generic, variable: NPM_CONFIG_{n}, unsafeName: true, source: \"dotenv://.env#KEY_00001\" }}\n"
        for n in range(count))
    return head("keys:\n", keys)


def sources(count):
    """Keys with one source, of which each is missing."""
    return head("keys:\n", "".join(f"  k{n}: {{ provider: generic, source: \"env://MISSING_{n}\" }}\n" for n in range(count)))


def comments(count):
    """Lines that fmt has to move."""
    return head("keys:\n", "".join(
        f"    # about k{n}\n    k{n}:   {{source: 'env://A_{n}',   provider: generic}} # end\n" for n in range(count)))


def targets_and_names(count):
    """The square root of N targets with as many names each."""
    width = int(count ** 0.5)
    keys = "".join(f"  k{n}: {{ provider: generic, source: \"dotenv://.env#KEY_{n + 1:05}\" }}\n" for n in range(width))
    names = "".join(f"      N{n}: k{n}\n" for n in range(width))
    return head("keys:\n", keys, "targets:\n", "".join(
        f"  t{n}:\n    type: dotenv\n    path: out/{n}.env\n    keys:\n{names}" for n in range(width)))


class Scene:
    """A manifest, what was done with it, and the commands to measure: (words, exit code, whether it starts anew)."""

    def __init__(self, name, manifest, commands, values=lambda count: generate.dotenv(1), prepare=None):
        self.name, self.manifest, self.commands = name, manifest, commands
        self.values, self.prepare = values, prepare or (lambda folder, count: None)


def applied(folder, count):
    bench.measure(folder, APPLY)


def backed_up(folder, count):
    applied(folder, count)
    bench.measure(folder, ["keyplan", "backup", "b.age"])


def armoured(folder, count):
    generate.write(os.path.join(folder, "lines.age"), "-----BEGIN AGE ENCRYPTED FILE-----\n" + "\n" * 1000 * count)


def forgotten(folder, count):
    applied(folder, count)
    generate.write(os.path.join(folder, "keyplan.yaml"), generate.manifest(1, "dotenv"))
    bench.measure(folder, [*APPLY, "--allow-forget"])


def changed_twice(folder, count):
    for version in range(3):
        generate.write(os.path.join(folder, ".env"), generate.dotenv(count, salt=version))
        bench.measure(folder, APPLY)


PLAN, DRIFT, VALIDATE = (["keyplan", "plan"], 0), (["keyplan", "drift"], 0), (["keyplan", "validate"], 0)
KEYS = Scene(
    "keys", lambda n: generate.manifest(n, "dotenv"),
    [VALIDATE, PLAN, DRIFT, (["keyplan", "keys"], 0), (["keyplan", "show"], 0), (["keyplan", "report", "--html", "-"], 0),
     (["keyplan", "metrics"], 0), (["keyplan", "state", "history"], 0), (["keyplan", "env"], 0), (["keyplan", "fmt", "--check"], 2)],
    generate.dotenv, applied)
SCENES = [
    KEYS,
    Scene("keys, first", KEYS.manifest, [PLAN, (APPLY, 0, True)], generate.dotenv),
    Scene("keys in a backup", KEYS.manifest,
          [(["keyplan", "restore", "b.age", "--check"], 0), (["keyplan", "restore", "b.age", "--yes"], 0, True),
           (["keyplan", "backup", "c.age"], 0, True), (["keyplan", "store", "rekey", "--yes"], 0, True)], generate.dotenv, backed_up),
    Scene("thousand empty lines of an age file", lambda n: generate.manifest(1, "dotenv"),
          [(["keyplan", "restore", "lines.age", "--check"], 9)], prepare=armoured),
    Scene("names at one target", lambda n: generate.manifest(n, "target"), [VALIDATE, PLAN, DRIFT], generate.dotenv, applied),
    Scene("targets, first", generate.targets, [VALIDATE, (APPLY, 0, True)], lambda n: generate.dotenv(10)),
    Scene("targets", generate.targets, [PLAN, DRIFT, (["keyplan", "report", "--html", "-"], 0), (["keyplan", "show"], 0)],
          lambda n: generate.dotenv(10), applied),
    Scene("placements", targets_and_names, [VALIDATE, (APPLY, 0, True)], generate.dotenv),
    Scene("errors", generate.faults, [(["keyplan", "validate"], 1), (["keyplan", "validate", "--json"], 1), (["keyplan", "plan"], 1)]),
    Scene("slots that share a variable", shared, [(["keyplan", "validate"], 1)]),
    Scene("candidates of a slot", candidates, [VALIDATE, (["keyplan", "plan"], 1)]),
    Scene("connections", connections, [VALIDATE, PLAN]),
    Scene("accounts", accounts, [VALIDATE, PLAN, DRIFT]),
    Scene("permissions, first", permissions, [VALIDATE, PLAN, (APPLY, 0, True)]),
    Scene("permissions", permissions, [PLAN, DRIFT], prepare=applied),
    Scene("missing sources", sources, [(["keyplan", "plan"], 1)]),
    Scene("lines to format", comments, [(["keyplan", "fmt", "--check"], 2)]),
    Scene("forgotten keys", KEYS.manifest, [PLAN, DRIFT, (["keyplan", "state", "history"], 0)], generate.dotenv, forgotten),
    Scene("keys with three versions", KEYS.manifest, [PLAN, (["keyplan", "state", "history"], 0)], generate.dotenv, changed_twice),
]


def least(folder, words, code, is_fresh, runs):
    best = None
    for _ in range(runs):
        place = bench.copy(folder, os.path.basename(folder) + "-run") if is_fresh else folder
        cost = bench.measure(place, words, code)
        if is_fresh:
            for path in (place, bench.home(place)):
                shutil.rmtree(path)
        best = cost if best is None else tuple(map(min, best, cost))
    return best


def main():
    parser = argparse.ArgumentParser(description="Compares what commands cost for ten times as much of something.")
    parser.add_argument("--size", type=int, default=1_000, help="the smaller number (default 1,000)")
    parser.add_argument("--only", default="", help="only the scenes whose name has this in it")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, of which the least counts (default 3)")
    options = parser.parse_args()
    sizes = (options.size, 10 * options.size)
    rows, worse = [], []
    with tempfile.TemporaryDirectory(prefix="keyplan-growth-") as root:
        start = least_start(root)
        for number, scene in enumerate(scene for scene in SCENES if options.only in scene.name):
            costs = {}
            for count in sizes:
                folder = os.path.join(root, f"{number}-{count}")
                os.makedirs(os.path.join(folder, "out"))
                os.mkdir(bench.home(folder))
                bench.measure(folder, ["keyplan", "init", "--quiet"])
                generate.write(os.path.join(folder, "keyplan.yaml"), scene.manifest(count))
                generate.write(os.path.join(folder, ".env"), scene.values(count))
                scene.prepare(folder, count)
                for words, code, *fresh in scene.commands:
                    costs.setdefault(tuple(words), []).append(least(folder, words, code, fresh == [True], options.runs))
                for path in (folder, bench.home(folder)):
                    shutil.rmtree(path)
            for words, (small, large) in costs.items():
                ratio = (large[0] - start) / max(small[0] - start, 0.001)
                what = f"{scene.name}: {' '.join(words[1:])}"
                rows.append([what] + [f"{cost[0] * 1000:,.0f}" for cost in (small, large)] + [f"{ratio:.1f}"]
                            + [f"{cost[2] / 1024:,.0f}" for cost in (small, large)])
                print(rows[-1], file=sys.stderr, flush=True)
                if ratio > LIMIT:
                    worse.append(what)
    print(bench.table(
        [f"{sizes[0]:,} and {sizes[1]:,}", "CPU ms", "CPU ms", "times", "MiB", "MiB"], rows), end="")
    if worse:
        sys.exit(f"growth: more than {LIMIT:g} times the CPU for ten times as much: " + "; ".join(worse))


def least_start(root):
    os.mkdir(os.path.join(root, "none-home"))
    os.mkdir(os.path.join(root, "none"))
    return min(bench.measure(os.path.join(root, "none"), ["keyplan", "--version"])[0] for _ in range(5))


if __name__ == "__main__":
    main()
