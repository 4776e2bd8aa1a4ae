#!/usr/bin/env python3
"""Writes Sources/KeyplanCLI/Describing/EmbeddedSchema.swift from schemas/*.json, for `keyplan schema`.

The schemas stand in the program as literals: no file is looked for, and a start that does not print them does not read them.
A test of the built program holds the two to each other.
"""
import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
names = {"keyplan": "manifest"}
schemas = {}
for file in sorted((root / "schemas").glob("*.schema.json")):
    stem = file.name.removesuffix(".schema.json")
    schemas[names.get(stem, stem)] = file.read_text()

text = """// Made by scripts/embed-schemas.py from schemas/: edit those.
// swift-format-ignore-file

/// The JSON schemas of what keyplan reads and writes.
enum EmbeddedSchema: String, CaseIterable, Sendable {
"""
text += "  case " + ", ".join(sorted(schemas)) + "\n\n  /// The schema, as it stands in `schemas/`.\n"
text += "  var text: StaticString {\n    switch self {\n"
for name, schema in sorted(schemas.items()):
    assert '"""##' not in schema and schema.endswith("\n")
    text += f'    case .{name}:\n##"""\n{schema}\n"""##\n'
text += "    }\n  }\n}\n"
target = root / "Sources/KeyplanCLI/Describing/EmbeddedSchema.swift"
target.parent.mkdir(exist_ok=True)
target.write_text(text)
