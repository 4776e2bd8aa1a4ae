#!/usr/bin/env python3
"""Writes Package.resolved from scripts/swift-packages.txt, so that the program is built from these commits although Package.swift has ranges."""
import json, pathlib

root = pathlib.Path(__file__).resolve().parent.parent
resolved = root / "Package.resolved"


def pin(line):
    name, version, revision, location = line.split()
    return {
        "identity": name, "kind": "remoteSourceControl", "location": location,
        "state": {"revision": revision, "version": version}}


lines = (root / "scripts/swift-packages.txt").read_text().splitlines()
pins = [pin(line) for line in lines if not line.startswith("#")]
# A file that SwiftPM has amended, but that has the same pins, is left alone.
if not resolved.exists() or json.loads(resolved.read_text())["pins"] != pins:
    resolved.write_text(json.dumps({"pins": pins, "version": 2}, indent=2) + "\n")
