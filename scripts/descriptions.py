#!/usr/bin/env python3
"""Writes Sources/CServices/CServices.c, the table of the descriptions in Sources/KeyplanServices/Services/ and Providers/.

    scripts/descriptions.py            write it
    scripts/descriptions.py --check    fail if it is not what the folders contain

Only the lines of a provider that are not indented are read here, with the standard library alone; DescriptionTableTests
compares the table with what the YAML parser reads.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
TABLE = SOURCES / "CServices/CServices.c"

HEAD = """\
// Written by scripts/descriptions.py from the folders Services/ and Providers/ of KeyplanServices.
#include "CServices.h"

// Clang supports `#embed` in every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"
"""


def text(value):
    """A C literal, or NULL."""
    if not value:
        return "NULL"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def words(flow):
    """The entries of a YAML list or mapping in one line: `[A, B]` or `{A: 1, B: 2}`, as words."""
    return " ".join(flow[1:-1].replace(",", " ").replace(":", " ").split())


def fields(path):
    found = {}
    for line in path.read_text().splitlines():
        match = re.fullmatch(r"(\w+):(?: (.*))?", line)
        if match:
            found[match[1]] = match[2] or ""
        elif line and not line.startswith((" ", "#")):
            sys.exit(f"{path}: not a field of a provider: {line}")
    return found


def embedded(prefix, path):
    name = prefix + "_" + path.stem.replace("-", "_")
    return name, f'static const unsigned char {name}[] = {{\n#embed "../{path.relative_to(SOURCES)}"\n}};\n'


def table():
    parts = [HEAD]
    rows = []
    for path in sorted((SOURCES / "KeyplanServices/Services").glob("*.yaml")):
        name, bytes_ = embedded("service", path)
        parts.append(bytes_)
        rows.append(f'  {{"{path.stem}", {name}, sizeof {name}}},\n')
    parts.append("static const struct keyplan_service services[] = {\n" + "".join(rows) + "};\n")
    rows = []
    for path in sorted((SOURCES / "KeyplanServices/Providers").glob("*.yaml")):
        name, bytes_ = embedded("provider", path)
        parts.append(bytes_)
        own = fields(path)
        rows.append(
            f'  {{.description = {{"{path.stem}", {name}, sizeof {name}}}, .variable = {text(own.get("variable"))},\n'
            f'   .format = {text(own.get("format", "").strip(chr(39)))},\n'
            f'   .other_variables = {text(words(own.get("otherVariables", "")))},'
            f' .prefixes = {text(words(own.get("prefixes", "")))},\n'
            f'   .has_check = {int("check" in own)}, .has_keys = {int("keys" in own)}}},\n')
    parts.append("static const struct keyplan_provider providers[] = {\n" + "".join(rows) + "};\n")
    parts.append(
        "const struct keyplan_service *keyplan_service_at(size_t index) {\n"
        "  return index < sizeof services / sizeof *services ? &services[index] : NULL;\n}\n")
    parts.append(
        "const struct keyplan_provider *keyplan_provider_at(size_t index) {\n"
        "  return index < sizeof providers / sizeof *providers ? &providers[index] : NULL;\n}\n")
    return "\n".join(parts)


if sys.argv[1:] == ["--check"]:
    if TABLE.read_text() != table():
        sys.exit(f"{TABLE.relative_to(ROOT)} is not what the folders contain: run scripts/descriptions.py")
elif not sys.argv[1:]:
    TABLE.write_text(table())
else:
    sys.exit(__doc__)
