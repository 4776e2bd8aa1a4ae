#!/usr/bin/env bash
# Runs what reads bytes from outside under AddressSanitizer (the C that wraps libcurl, libexpat and libpq, and the parsers), and
# what several threads share under ThreadSanitizer.
# Leaks are left out: those found are of XCTest and of Foundation's Process.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=halt_on_error=1
export KEYPLAN_TEST_PYTHON=$PWD/.build-venv/bin/python

# sanitize NAME MODULES: the tests of these modules under one sanitizer, built apart.
sanitize() {
  local build=(swift build --build-tests --sanitize="$1" --scratch-path ".build-$1")
  echo "==> ${1^} sanitizer"
  "${build[@]}"
  local preload=
  if [[ $1 == thread && $(uname -s) == Linux ]]; then
    preload=$PWD/.build-thread/mutex.so
    clang -shared -fPIC -O1 -o "$preload" scripts/sanitize-mutex.c
  fi
  LD_PRELOAD=$preload "$("${build[@]}" --show-bin-path)/keyplanPackageTests.xctest" --testing-library swift-testing \
    --experimental-maximum-parallelization-width 2 --filter "Keyplan($2)Tests"
}

sanitize address 'HTTP|Calendars|Store|YAML|Documents|Age|Files'
# Not OAuth: a sign-in's listener hands its answer over through a continuation, which the tool cannot see either.
sanitize thread 'Threads|HTTP|Apply|Store|Local'
