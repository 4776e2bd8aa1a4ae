"""What the library `KeyplanReader` costs a program: reads from memory, and a process that opens a store and reads one key."""

import subprocess

# The figures that `keyplan-reads` prints, with the most (or for a rate the least) that the project steers by.
MOST = {
    "cached key, one task": 200,
    "opening a cache of 1,000 keys and reading one": 10_000,
    "memory of a program with 1,000 keys, without its code": 20 * 1024,
}
LEAST = {"cached keys, 8 tasks": 1_000_000}


def reads(runs):
    """Runs `keyplan-reads` so often; the medians by name, as (number, unit)."""
    found = {}
    for _ in range(runs):
        printed = subprocess.run(["keyplan-reads"], capture_output=True, text=True, check=True).stdout
        for line in printed.splitlines():
            name, figure = line.split(": ")
            number, unit = figure.split(" ", 1)
            found.setdefault(name, (unit, []))[1].append(int(number))
    return {name: (sorted(numbers)[len(numbers) // 2], unit) for name, (unit, numbers) in found.items()}
