#!/usr/bin/env python3
"""Measures keyplan as whole processes, side by side with peers, and prints tables.

Each case has a folder of its own that is put back before each run, and the cases of one size are run in turns, so that a
busy moment of the machine hits all of them. The figures are medians.
"""

import argparse
import contextlib
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

import generate
import places
import reader
import server
import services

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 20  # seconds: what a case may take over all its runs before it gets no more of them

# What the project steers by, which is what was measured plus a fifth: (what, size, row, figure, bound).
BOUNDS = [
    ("--version", 0, "--version", "cpu", 0.0033),
    ("get one of 1,000 keys", 1000, "get one", "cpu", 0.0068),
    ("env of 1,000 keys", 1000, "env, all", "cpu", 0.028),
    ("plan of 1,000 keys, nothing to do", 1000, "plan, no change", "cpu", 0.028),
    ("plan of 10,000 keys, nothing to do", 10_000, "plan, no change", "cpu", 0.195),
    ("plan of 100,000 keys, nothing to do", 100_000, "plan, no change", "cpu", 2.15),
    ("first apply of 10,000 keys, durable", 10_000, "apply, first", "wall", 0.63),
    ("validate of 10,000 keys", 10_000, "validate", "cpu", 0.085),
    ("plan of 10,000 keys, nothing to do", 10_000, "plan, no change", "peak", 52 * 1024),
    ("first apply of 10,000 keys", 10_000, "apply, first", "peak", 80 * 1024),
    ("a month of 1,000 events, from a fake on this machine", 0, "calendar events, 1,000", "wall", 0.056),
    ("validate with 10,000 faults", 0, "10,000 faults, text", "cpu", 0.105),
    ("validate with 3,000 faults on one line", 0, "3,000 faults on one line", "cpu", 0.024),
    ("first apply to 10,000 targets", 0, "10,000 targets, apply, first", "cpu", 7.5),
    ("1,000 requests to this machine, 16 at once", 0, "HTTP, 1,000 requests", "wall", 0.057),
    ("1,000 keys from OpenBao in one plan", 0, "OpenBao, 1,000 keys, plan", "wall", 1.0),
    ("1,000 keys from OpenBao in one plan", 0, "OpenBao, 1,000 keys, plan", "peak", 64 * 1024),
    ("300,000 placements planned from marks", 0, "300,000 placements, plan, no change", "cpu", 60.0),
    ("a program that opens a store of 1,000 keys, with a cache from before", 0, "open, read one, cached before", "peak", 20 * 1024),
]
# The requests of a plan of 1,000 names in 10 repositories: a list of each, and who each is, so that one that was renamed or replaced
# is not taken for it.
LISTS = {"GET GitHub list": 10, "GET GitHub repository": 10}
# Ten times the keys may take so many times as long.
GROWTH = 11
# Bytes that the store may take for each of 10,000 keys.
STORE = 440
LARGEST = 100_000


class Cost:
    """The medians of some runs of one command."""

    def __init__(self, runs):
        self.runs = len(runs)
        self.cpu, self.wall, self.peak = (statistics.median(figures) for figures in zip(*runs))

    def columns(self):
        return [f"{self.cpu * 1000:,.1f}", f"{self.wall * 1000:,.1f}", f"{self.peak / 1024:,.1f}"]


class Case:
    """One command in one state."""

    def __init__(self, tool, row, folder, command, code=0, variables="-", reset=None):
        self.tool, self.row, self.folder, self.command, self.code = tool, row, folder, command, code
        self.variables, self.reset = variables, reset
        self.costs, self.spent = [], 0.0

    def run(self):
        if self.reset:
            for place in (self.folder, home(self.folder)):
                shutil.rmtree(place)
            copy(self.reset, os.path.basename(self.folder))
        cost = measure(self.folder, self.command, self.code, self.variables)
        self.costs.append(cost)
        self.spent += cost[1]


def home(folder):
    """The home of whoever works in a folder: beside it, because a home in the checkout is refused."""
    return folder + "-home"


def measure(folder, command, code=0, variables="-"):
    environment = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR") if name in os.environ
    }
    identity = os.path.join(home(folder), ".config", "keyplan", "identity.txt")
    environment |= {
        "HOME": home(folder), "KEYPLAN_CHECKOUT": "trusted", "USER": "bench", "CHECKPOINT_DISABLE": "1", "SOPS_AGE_KEY_FILE": identity,
        "FNOX_AGE_KEY_FILE": identity,
    }
    ended = subprocess.run(
        [sys.executable, "-S", "-I", os.path.join(HERE, "measure.py"), folder, variables, str(code), *command],
        env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(ended.stderr)
    cpu, wall, peak = ended.stdout.split()
    return float(cpu), float(wall), int(peak)


def in_turns(cases, runs):
    """Runs all cases, one run of each at a time."""
    for _ in range(runs):
        for case in cases:
            if not case.costs or case.spent < PATIENCE:
                case.run()
    return {(case.tool, case.row): Cost(case.costs) for case in cases}


def copy(folder, name):
    other = os.path.join(os.path.dirname(folder), name)
    shutil.copytree(folder, other, symlinks=True)
    shutil.copytree(home(folder), home(other), symlinks=True)
    # What a machine knows of stores names their folders.
    known = os.path.join(home(other), ".local", "state", "keyplan", "known_stores")
    if os.path.exists(known):
        with open(known, encoding="utf-8") as file:
            text = file.read()
        generate.write(known, text.replace(folder, other))
    return other


def keyplan_cases(root, count, variant):
    """Every command on a manifest of that many keys."""
    fresh = os.path.join(root, f"{variant}-fresh")
    generate.generate(fresh, count, variant)
    os.mkdir(home(fresh))
    env, changed_env = ("values.env", "changed.env") if variant == "env" else ("-", "-")
    env, changed_env = (name if name == "-" else os.path.join(fresh, name) for name in (env, changed_env))
    measure(fresh, ["keyplan", "init"], 0, env)
    applied = copy(fresh, f"{variant}-applied")
    measure(applied, ["keyplan", "apply", "--yes"], 0, env)
    changed = copy(applied, f"{variant}-changed")
    if variant != "env":
        shutil.copyfile(os.path.join(changed, "changed.env"), os.path.join(changed, ".env"))
    first = copy(fresh, f"{variant}-first")
    plan = ["keyplan", "plan", "--detailed-exitcode"]
    return [
        Case("keyplan", "validate", applied, ["keyplan", "validate"], variables=env),
        Case("keyplan", "plan, first", fresh, plan, 2, env),
        Case("keyplan", "apply, first", first, ["keyplan", "apply", "--yes"], variables=env, reset=fresh),
        Case("keyplan", "plan, no change", applied, plan, variables=env),
        Case("keyplan", "plan, 1 change", changed, plan, 2, changed_env),
        Case("keyplan", "get one", applied, ["keyplan", "get", f"key-{count:05}"]),
        Case("keyplan", "env, all", applied, ["keyplan", "env", "--format", "dotenv"]),
        Case("keyplan", "drift", applied, ["keyplan", "drift"], variables=env),
    ]


def library_cases(root, count):
    """A program with the library: it opens a store and reads one key, with and without a cache from an earlier run."""
    folder = os.path.join(root, "project")
    os.makedirs(root)
    generate.generate(folder, count, "dotenv")
    os.mkdir(home(folder))
    measure(folder, ["keyplan", "init"])
    measure(folder, ["keyplan", "apply", "--yes"])

    def case(row, name, reset=None):
        place = copy(folder, name)
        identity = os.path.join(home(place), ".config", "keyplan", "identity.txt")
        words = [os.path.join(place, "keyplan.yaml"), identity, os.path.join(place, "cache"), f"key-{count:05}"]
        return Case("keyplan", row, place, ["keyplan-reader-example", *words], reset=reset)

    return [case("open, read one", "cold", reset=folder), case("open, read one, cached before", "warm")]


def largest_cases(root, count):
    """What has a bound where one process's environment and the patience for applies have an end."""
    folder = os.path.join(root, "applied")
    generate.generate(folder, count, "dotenv")
    os.mkdir(home(folder))
    measure(folder, ["keyplan", "init"])
    measure(folder, ["keyplan", "apply", "--yes", "--quiet"])
    return [
        Case("keyplan", "validate", folder, ["keyplan", "validate"]),
        Case("keyplan", "plan, no change", folder, ["keyplan", "plan", "--detailed-exitcode"]),
        Case("keyplan", "get one", folder, ["keyplan", "get", f"key-{count:05}"]),
        Case("keyplan", "env, all", folder, ["keyplan", "env", "--format", "dotenv"]),
    ]


def shared_cases(root, count, address):
    """The same in a file and on a server on this machine, side by side."""
    fresh = os.path.join(root, "fresh")
    generate.generate(fresh, count, "env")
    os.mkdir(home(fresh))
    values = os.path.join(fresh, "values.env")
    shared = os.path.join(root, "shared.env")
    shutil.copyfile(values, shared)
    with open(shared, "a", encoding="utf-8") as file:
        file.write(f"KEYPLAN_STORE={address}?project=bench-{count}\n")
    plan = ["keyplan", "plan", "--detailed-exitcode"]
    cases = []
    for tool, place, variables in (("file", "file", values), ("server", "server", shared)):
        folder = copy(fresh, place)
        measure(folder, ["keyplan", "init"], 0, variables)
        # Once only: a store on a server cannot be put back by copying a folder.
        first = Case(tool, "apply, first", folder, ["keyplan", "apply", "--yes", "--quiet"], variables=variables)
        first.run()
        first.spent = PATIENCE
        cases += [
            first,
            Case(tool, "plan, no change", folder, plan, variables=variables),
            Case(tool, "get one", folder, ["keyplan", "get", f"key-{count:05}"], variables=variables),
            Case(tool, "env, all", folder, ["keyplan", "env", "--format", "dotenv"], variables=variables),
        ]
    return cases


def edge_cases(root):
    """Many faults, many warnings, many targets, large backups, long histories."""
    cases = []

    def project(name, text, values=""):
        folder = os.path.join(root, name)
        os.makedirs(os.path.join(folder, "out"))
        os.makedirs(home(folder))
        generate.write(os.path.join(folder, "keyplan.yaml"), text)
        generate.write(os.path.join(folder, ".env"), values)
        return folder

    many = project("faults", generate.faults(10_000))
    cases += [
        Case("keyplan", "10,000 faults, text", many, ["keyplan", "validate"], 1),
        Case("keyplan", "10,000 faults, JSON", many, ["keyplan", "validate", "--json"], 1),
        Case("keyplan", "10,000 faults, for GitHub", many, ["keyplan", "validate", "--format", "github"], 1),
    ]
    line = project("line", generate.faults_on_a_line(3_000))
    cases.append(Case("keyplan", "3,000 faults on one line", line, ["keyplan", "validate"], 1))

    warned = project("warnings", generate.manifest(10_000, "dotenv", "openai"), generate.dotenv(10_000))
    measure(warned, ["keyplan", "init", "--quiet"])
    cases.append(Case("keyplan", "10,000 format warnings, plan", warned, ["keyplan", "plan"]))

    for count in (1_000, 10_000):
        fresh = project(f"targets-{count}", generate.targets(count), generate.dotenv(10))
        measure(fresh, ["keyplan", "init", "--quiet"])
        applied = copy(fresh, f"targets-{count}-applied")
        measure(applied, ["keyplan", "apply", "--yes", "--quiet"])
        first = copy(fresh, f"targets-{count}-first")
        cases += [
            Case("keyplan", f"{count:,} targets, validate", applied, ["keyplan", "validate"]),
            Case(
                "keyplan", f"{count:,} targets, apply, first", first, ["keyplan", "apply", "--yes", "--quiet"],
                reset=fresh),
            Case(
                "keyplan", f"{count:,} targets, plan, no change", applied, ["keyplan", "plan", "--detailed-exitcode"]),
        ]

    for count in (10_000, 100_000):
        kept = project(f"backup-{count}", generate.manifest(count, "dotenv"), generate.dotenv(count))
        for command in (["init", "--quiet"], ["apply", "--yes", "--quiet"], ["backup", "b.age"]):
            measure(kept, ["keyplan", *command])
        cases += [
            Case("keyplan", f"{count:,} keys, restore --check", kept, ["keyplan", "restore", "--check", "b.age"]),
            # Each restore replaces the root key, so each run starts from a fresh copy.
            Case(
                "keyplan", f"{count:,} keys, restore over the store", copy(kept, f"backup-{count}-restored"),
                ["keyplan", "restore", "--yes", "b.age"], reset=kept),
        ]

    history = project("history", generate.manifest(400, "dotenv"))
    measure(history, ["keyplan", "init", "--quiet"])
    for version in range(6):
        generate.write(os.path.join(history, ".env"), generate.dotenv(400, salt=version))
        measure(history, ["keyplan", "apply", "--yes", "--quiet"])
    cases.append(Case("keyplan", "2,000 earlier versions, history", history, ["keyplan", "state", "history"]))
    cases.append(
        Case("keyplan", "2,000 earlier versions, plan", history, ["keyplan", "plan", "--detailed-exitcode"]))
    return cases


def service_cases(root, ports):
    """What asks services, at fakes on this machine."""
    calendars, page = ports
    os.makedirs(root)
    os.makedirs(home(root))
    generate.write(os.path.join(root, "keyplan.yaml"), services.manifest(calendars))
    generate.write(os.path.join(root, ".env"), "SECRET=made-up\n")
    measure(root, ["keyplan", "init", "--quiet"])
    measure(root, ["keyplan", "apply", "--yes", "--quiet"])
    month = ["--from", "2026-11-01", "--to", "2026-12-01", "--json"]
    return [
        Case("keyplan", "calendar status", root, ["keyplan", "calendar", "status"]),
        Case("keyplan", "calendar events, 1,000", root, ["keyplan", "calendar", "events", "work", *month]),
        Case("keyplan", "HTTP, 1,000 requests", root, ["keyplan-requests", str(page), "1000", "16"]),
    ]


def place_cases(root, port, address):
    """What reads and writes remote places: a real OpenBao, if there is one, and simulations."""
    cases = []

    def project(name, text, keys=0):
        folder = os.path.join(root, name)
        os.makedirs(folder)
        os.makedirs(home(folder))
        generate.write(os.path.join(folder, "keyplan.yaml"), text)
        generate.write(os.path.join(folder, ".env"), generate.dotenv(keys) + "TOKEN=made-up\n" if keys else "")
        measure(folder, ["keyplan", "init", "--quiet"])
        return folder

    if address:
        folder = project("openbao", places.from_openbao(address, 1_000))
        token = os.path.join(root, "openbao.env")
        generate.write(token, "VAULT_TOKEN=root\n")
        # What a plan reads depends on what is permitted.
        measure(folder, ["keyplan", "apply", "--yes", "--quiet"], variables=token)
        plan = ["keyplan", "plan", "--detailed-exitcode"]
        cases.append(Case("keyplan", "OpenBao, 1,000 keys, plan", folder, plan, variables=token))
    github = project("github", places.to_github(port, 10, 5), 100)
    # No apply writes more than 50 secrets at full speed: GitHub blocks clients that do.
    for names in range(5, 105, 5):
        generate.write(os.path.join(github, "keyplan.yaml"), places.to_github(port, 10, names))
        measure(github, ["keyplan", "apply", "--yes", "--quiet"])
    vercel = project("vercel", places.to_vercel(port, 1_000, 300), 300)
    first = Case("keyplan", "300,000 placements, apply, first", vercel, ["keyplan", "apply", "--yes", "--quiet"])
    # Once only: what a service holds cannot be put back by copying a folder.
    first.run()
    first.spent = PATIENCE
    plan = ["keyplan", "plan", "--detailed-exitcode"]
    return cases + [
        Case("keyplan", "GitHub, 1,000 names in 10 repositories, plan", github, plan), first,
        Case("keyplan", "300,000 placements, plan, no change", vercel, plan),
    ]


def listing(root, port):
    """The requests of one plan of the names in repositories."""
    places.requests(port)
    measure(os.path.join(root, "github"), ["keyplan", "plan", "--detailed-exitcode"])
    return places.requests(port)


def shared_table(costs):
    head = ["wall ms", "in a file", "on a server", "ratio"]
    rows = []
    for (tool, row), cost in costs.items():
        if tool == "file":
            other = costs[("server", row)]
            rows.append([row, f"{cost.wall * 1000:,.1f}", f"{other.wall * 1000:,.1f}", f"{other.wall / cost.wall:.1f}"])
    return table(head, rows)


def terraform_cases(root, count, full):
    """Plans and applies of as many resources that do nothing."""
    fresh = os.path.join(root, "terraform-fresh")
    os.makedirs(fresh)
    os.makedirs(home(fresh))
    generate.write(os.path.join(fresh, "main.tf"), generate.terraform(count))
    measure(fresh, ["terraform", "init", "-input=false"])
    plan = ["terraform", "plan", "-input=false", "-detailed-exitcode"]
    cases = [
        Case("terraform", "validate", fresh, ["terraform", "validate"]),
        Case("terraform", "plan, first", fresh, plan, 2),
    ]
    if count > 1000 and not full:
        return cases
    apply = ["terraform", "apply", "-input=false", "-auto-approve"]
    applied = copy(fresh, "terraform-applied")
    measure(applied, apply)
    first = copy(fresh, "terraform-first")
    changed = [*plan, "-var", "first=" + "f" * 56]
    return cases + [
        Case("terraform", "apply, first", first, apply, reset=fresh),
        Case("terraform", "plan, no change", applied, plan),
        Case("terraform", "plan, 1 change", applied, changed, 2),
    ]


def reader_cases(root, count, tools):
    """The values encrypted with age by tools that keep them in a file; keyplan's own identity opens them."""
    fresh = os.path.join(root, "env-fresh")
    identity = os.path.join(home(fresh), ".config", "keyplan", "identity.txt")
    recipient = subprocess.run(
        ["keyplan", "identity", "show", "--quiet", "--identity", identity], capture_output=True, text=True, check=True
    ).stdout.strip()
    one = f"KEY_{count:05}"
    cases = []
    if "sops" in tools:
        folder = copy(fresh, "sops")
        sops = ["sops", "--disable-version-check"]
        generate.write(
            os.path.join(folder, "values.yaml"),
            "".join(f"{variable}: \"{value}\"\n" for _, variable, value in generate.values(count)))
        measure(folder, [*sops, "encrypt", "--in-place", "--age", recipient, "values.yaml"])
        cases += [
            Case("sops", "get one", folder, [*sops, "decrypt", "--extract", f'["{one}"]', "values.yaml"]),
            Case("sops", "env, all", folder, [*sops, "decrypt", "--output-type", "dotenv", "values.yaml"]),
        ]
    if "fnox" in tools:
        folder = copy(fresh, "fnox")
        generate.write(
            os.path.join(folder, "fnox.toml"), f'[providers.age]\ntype = "age"\nrecipients = ["{recipient}"]\n')
        measure(folder, ["fnox", "import", "--provider", "age", "--force", "--input", "values.env", "env"])
        cases += [
            Case("fnox", "get one", folder, ["fnox", "get", one]),
            Case("fnox", "env, all", folder, ["fnox", "export", "--format", "env"]),
        ]
    return cases


def table(head, rows):
    """A Markdown table that is a table in a terminal too."""
    widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
    out = [head, ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]], *rows]
    return "".join(
        "| " + " | ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
        + " |\n" for row in out)


def own_table(costs):
    head = ["keyplan", "CPU ms", "wall ms", "peak MiB"]
    return table(head, [[row, *cost.columns()] for (tool, row), cost in costs.items() if tool == "keyplan"])


def peer_table(costs, peers):
    head = ["side by side, CPU ms", "keyplan", "peer", "ratio", "peak MiB", "peer's"]
    rows = []
    for (tool, row), cost in costs.items():
        mine = costs.get(("keyplan", row))
        if tool in peers and mine:
            rows.append([
                f"{row}: {tool}", f"{mine.cpu * 1000:,.1f}", f"{cost.cpu * 1000:,.1f}", f"{cost.cpu / mine.cpu:.1f}",
                f"{mine.peak / 1024:,.1f}", f"{cost.peak / 1024:,.1f}"])
    return table(head, rows) if rows else ""


def bounds(found, bytes_per_key, asked, reads):
    lines = []

    def judge(what, value, bound, unit, least=False):
        word = ("above" if value >= bound else "UNDER") if least else ("within" if value <= bound else "OVER")
        lines.append(f"- {what}: {value:,.1f}{unit}, {word} the {bound:,.1f} to steer by\n")

    for what, size, row, figure, bound in BOUNDS:
        if cost := found.get((size, row)):
            scale = 1 / 1024 if figure == "peak" else 1000
            unit = {"cpu": " ms CPU", "wall": " ms wall", "peak": " MiB peak"}[figure]
            judge(what, getattr(cost, figure) * scale, bound * scale, unit)
    if opened := found.get((0, "open, read one")):
        start = found[(0, "--version")].wall
        judge("opening a store of 1,000 keys and reading one, after the start of a process", (opened.wall - start) * 1000, 10, " ms")
    # The largest has its values in a file, and is held beside what has them there too.
    for small, large, row in (
        (1000, 10_000, "plan, no change"), (10_000, LARGEST, "plan, no change, dotenv"),
    ):
        costs = [found.get((size, row)) for size in (small, large)]
        if all(costs):
            judge(f"plan of {large:,} keys beside {small:,}", costs[1].cpu / costs[0].cpu, GROWTH, " times the CPU")
    targets = [found.get((0, f"{count:,} targets, apply, first")) for count in (1_000, 10_000)]
    if all(targets):
        judge("first apply to 10,000 targets beside 1,000", targets[1].cpu / targets[0].cpu, GROWTH, " times the CPU")
    if bytes_per_key:
        judge("store of 10,000 keys", bytes_per_key, STORE, " bytes a key")
    if asked:
        word = "as" if asked == LISTS else "OTHER than"
        made = ", ".join(f"{count} x {kind}" for kind, count in sorted(asked.items()))
        lines.append(f"- requests of a plan of 1,000 names in 10 GitHub repositories: {made}, {word} expected\n")
    for name, (number, unit) in reads.items():
        if name in reader.MOST:
            judge(name, number, reader.MOST[name], f" {unit}")
        if name in reader.LEAST:
            judge(name, number, reader.LEAST[name], f" {unit}", least=True)
    return "".join(lines)


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores, {model}, Linux {platform.release().split('-')[0]}"


def version(tool):
    command = [tool, "--version"] if tool != "sops" else [tool, "--disable-version-check", "--version"]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]
    return words if words.startswith(tool) or words.lower().startswith(tool) else f"{tool} {words}"


def main():
    parser = argparse.ArgumentParser(description="Measures the keyplan that is on PATH.")
    parser.add_argument("--record", action="store_true", help="write Benchmarks/RESULTS.md too")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--sizes", default="10,100,1000,10000", help="numbers of keys (default 10,100,1000,10000)")
    parser.add_argument(
        "--no-largest", dest="largest", action="store_false", help=f"leave the {LARGEST:,} keys out")
    parser.add_argument("--services", action="store_true", help="measure only what asks services")
    parser.add_argument("--edges", action="store_true", help="measure only many faults, warnings, targets and versions")
    parser.add_argument("--reader", action="store_true", help="measure only the library for programs that read keys")
    parser.add_argument("--full", action="store_true", help="let Terraform apply more than 1,000 resources too")
    options = parser.parse_args()
    if not shutil.which("keyplan"):
        sys.exit("bench: keyplan is not on PATH; `make bench` builds it and puts it there")
    full = options.full or os.environ.get("FULL") == "1"
    peers = [tool for tool in ("terraform", "sops", "fnox") if shutil.which(tool)]
    written = []

    def tell(text):
        print(text, flush=True)
        written.append(text + "\n")

    # One part, or all.
    only = next((part for part in ("services", "edges", "reader") if getattr(options, part)), None)
    found, bytes_per_key, asked, reads = {}, None, None, {}
    with tempfile.TemporaryDirectory(prefix="keyplan-bench-") as root:
        floor = measure(root, ["/bin/true"])
        start = Cost([measure(root, ["keyplan", "--version"]) for _ in range(max(options.runs, 15))])
        found[(0, "--version")] = start
        load = os.getloadavg()[0]
        tell(f"""# What keyplan costs

{datetime.date.today().isoformat()}, {machine()}, load {load:.1f} at the start.
{", ".join(map(version, ["keyplan", *peers]))}.

Whole processes, medians of {options.runs} runs in turns (fewer where they would take more than {PATIENCE} s). CPU is user
and system together. No peak is below {floor[2] / 1024:.0f} MiB, which is what the measuring process holds.
""")
        for tool in ("terraform", "sops", "fnox"):
            if tool not in peers:
                tell(f"No {tool} on PATH: nothing to compare with.\n")
        if "terraform" in peers:
            tell("""Terraform's configuration is one block with a count, the cheapest form that it has: it reads a few lines where
keyplan reads a manifest of all keys.
""")
        tell(table(["keyplan", "CPU ms", "wall ms", "peak MiB"], [["--version", *start.columns()]]))
        # First: it is over in milliseconds, and what the disk still has to do for others would be most of it.
        if only in (None, "reader"):
            costs = in_turns(library_cases(os.path.join(root, "library"), 1_000), options.runs)
            found |= {(0, row): cost for (_, row), cost in costs.items()}
            reads = reader.reads(options.runs)
            tell("## The library that reads keys, 1,000 keys\n")
            tell(own_table(costs))
            rows = [[name, f"{number:,}", unit] for name, (number, unit) in reads.items()]
            tell(table(["in the program", "figure", "unit"], rows))
        sizes = [] if only else list(map(int, options.sizes.split(",")))
        for count in sizes:
            for variant, words in (
                ("env", "from the environment"), ("dotenv", "from a dotenv file"),
                ("target", "from a dotenv file, written to one target"),
            ):
                place = os.path.join(root, f"{count}-{variant}")
                os.mkdir(place)
                cases = keyplan_cases(place, count, variant)
                if variant == "env":
                    if "terraform" in peers:
                        cases += terraform_cases(place, count, full)
                    cases += reader_cases(place, count, peers)
                costs = in_turns(cases, options.runs)
                store = os.path.join(place, f"{variant}-applied", ".keyplan", "default.db")
                if count == 10_000 and variant == "env":
                    bytes_per_key = os.path.getsize(store) / count
                if variant == "dotenv":
                    found[(count, "plan, no change, dotenv")] = costs[("keyplan", "plan, no change")]
                if variant == "env":
                    found |= {(count, row): cost for (tool, row), cost in costs.items() if tool == "keyplan"}
                tell(f"## {count:,} keys {words}\n")
                tell(own_table(costs))
                if beside := peer_table(costs, peers):
                    tell(beside)
                shutil.rmtree(place)
        if only in (None, "services"):
            with services.running() as ports:
                costs = in_turns(service_cases(os.path.join(root, "services"), ports), options.runs)
            found |= {(0, row): cost for (_, row), cost in costs.items()}
            tell("## Services, as fakes on this machine\n")
            tell(own_table(costs))
            place = os.path.join(root, "places")
            with contextlib.ExitStack() as running:
                port = running.enter_context(places.simulations())
                address = running.enter_context(places.openbao(1_000)) if places.openbao_program() else None
                costs = in_turns(place_cases(place, port, address), options.runs)
                asked = listing(place, port)
            found |= {(0, row): cost for (_, row), cost in costs.items()}
            tell("## Remote places: a real OpenBao, simulations of GitHub and Vercel, all on this machine\n")
            if not address:
                tell("No OpenBao on this machine: it is not measured.\n")
            tell(own_table(costs))
        if only in (None, "edges"):
            costs = in_turns(edge_cases(os.path.join(root, "edges")), options.runs)
            found |= {(0, row): cost for (_, row), cost in costs.items()}
            tell("## Many faults, warnings, targets and versions\n")
            tell(own_table(costs))
        if sizes and not server.tools():
            tell("No PostgreSQL server on this machine: stores that are shared are not measured.\n")
        elif sizes:
            count = sizes[-1]
            with server.running() as address:
                place = os.path.join(root, "shared")
                os.mkdir(place)
                costs = in_turns(shared_cases(place, count, address), options.runs)
            tell(f"## {count:,} keys from the environment, in a file and on a PostgreSQL server on this machine\n")
            tell(shared_table(costs))
        if options.largest and sizes:
            costs = in_turns(largest_cases(os.path.join(root, "largest"), LARGEST), options.runs)
            found |= {(LARGEST, row): cost for (_, row), cost in costs.items()}
            found[(LARGEST, "plan, no change, dotenv")] = costs[("keyplan", "plan, no change")]
            tell(f"## {LARGEST:,} keys from a dotenv file\n")
            tell(own_table(costs))
    if judged := bounds(found, bytes_per_key, asked, reads):
        tell("## Bounds\n")
        tell(judged)
    if options.record:
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as file:
            file.write("".join(written))


if __name__ == "__main__":
    main()
