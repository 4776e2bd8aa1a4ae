#!/usr/bin/env python3
"""Writes a folder with a manifest of N keys, and the same N values for other tools.

    generate.py FOLDER N [env|dotenv|target]

env     each key's value is in a variable of the environment (the folder's values.env says which)
dotenv  each key's value is in .env
target  the same, and all N values are written to one dotenv file, .env.local

The values are made of their own numbers: the same every time, 56 characters long, and nobody's.
"""

import hashlib
import os
import sys

VARIANTS = ("env", "dotenv", "target")


def values(count):
    """(key, variable, value) for each key."""
    for number in range(1, count + 1):
        digits = hashlib.sha256(b"keyplan benchmark %d" % number).hexdigest()
        yield f"key-{number:05}", f"KEY_{number:05}", digits[:56]


def dotenv(count, changed=False, salt=0):
    """The values as a dotenv file; `changed` makes the first one another, another `salt` all of them."""
    lines = [f"{variable}={value[salt:]}\n" for _, variable, value in values(count)]
    if changed:
        lines[0] = "KEY_00001=" + "f" * 56 + "\n"
    return "".join(lines)


def manifest(count, variant, provider="generic"):
    """The manifest of N keys; the first one is its slot's."""
    lines = ["version: 1\n", "keys:\n"]
    for key, variable, _ in values(count):
        source = f"env://{variable}" if variant == "env" else f"dotenv://.env#{variable}"
        lines.append(f"  {key}:\n    provider: {provider}\n    variable: {variable}\n    source: {source}\n")
    lines.append("active:\n  main: key-00001\n")
    if variant == "target":
        lines.append("targets:\n  app:\n    type: dotenv\n    path: .env.local\n    keys:\n")
        lines.extend(f"      {variable}: {key}\n" for key, variable, _ in values(count))
    return "".join(lines)


def targets(count):
    """A manifest of ten keys and N targets, each with one of them."""
    lines = ["version: 1\n", "keys:\n"]
    for key, variable, _ in values(10):
        lines.append(f"  {key}: {{ provider: generic, source: dotenv://.env#{variable} }}\n")
    lines.append("targets:\n")
    lines.extend(
        f"  t-{number:05}: {{ type: dotenv, path: out/{number:05}.env, keys: {{ A: key-{number % 10 + 1:05} }} }}\n"
        for number in range(count))
    return "".join(lines)


def faults(count):
    """A manifest with N faults, each on a line of its own."""
    return "version: 1\nkeys:\n" + "".join(f"  key-{number:05}: {{ provder: generic }}\n" for number in range(count))


def faults_on_a_line(count):
    """A manifest with N faults on one line."""
    names = ", ".join(f"u{number}" for number in range(count))
    return f"version: 1\nkeys:\n  a: {{ provider: generic }}\nactive: {{ main: [{names}] }}\n"


def terraform(count):
    """As many of Terraform's built-in resources, which need no provider and no network."""
    return f"""variable "first" {{
  default = "{"0" * 56}"
}}

resource "terraform_data" "key" {{
  count = {count}
  input = count.index == 0 ? var.first : sha256("keyplan benchmark ${{count.index}}")
}}
"""


def write(path, text, mode=0o600):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
        file.write(text)


def generate(folder, count, variant):
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "keyplan.yaml"), manifest(count, variant))
    write(os.path.join(folder, "values.env"), dotenv(count))
    write(os.path.join(folder, "changed.env"), dotenv(count, changed=True))
    if variant != "env":
        write(os.path.join(folder, ".env"), dotenv(count))


def main():
    if len(sys.argv) not in (3, 4) or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    variant = sys.argv[3] if len(sys.argv) == 4 else "env"
    if variant not in VARIANTS:
        sys.exit(__doc__)
    generate(sys.argv[1], int(sys.argv[2]), variant)


if __name__ == "__main__":
    main()
