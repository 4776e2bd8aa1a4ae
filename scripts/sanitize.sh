#!/usr/bin/env bash
# Runs what reads bytes from outside under AddressSanitizer: the C that wraps libcurl, libexpat and libpq, and the parsers.
# Leaks are left out: those found are of XCTest and of Foundation's Process.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export ASAN_OPTIONS=detect_leaks=0
export KEYPLAN_TEST_PYTHON=$PWD/.build-venv/bin/python
build=(swift build --build-tests --sanitize=address --scratch-path .build-asan)
"${build[@]}"
program=$("${build[@]}" --show-bin-path)/keyplanPackageTests.xctest
"$program" --testing-library swift-testing --experimental-maximum-parallelization-width 2 \
  --filter 'Keyplan(HTTP|Calendars|Store|YAML|Documents|Age|Files)Tests'
