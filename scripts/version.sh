#!/bin/sh
# Prints keyplan's version, from the only place that has it.
set -eu
sed -n 's/.*static let version = "\(.*\)"/\1/p' "$(dirname "$0")/../Sources/KeyplanCLI/Commands/Keyplan.swift"
