#!/usr/bin/env bash
# What CI runs: lint, all tests, the API, then a slice of every second slow proof, the release program and its instruction counts. At most 35 minutes on two idle
# cores, from a clean clone.
#
# The slices are chosen by a seed that is printed, so that many runs cover what one run cannot. To repeat one:
#   KEYPLAN_TEST_SEED=SEED make check
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

started=$SECONDS
section() { printf '\n==> %s (minute %d)\n' "$*" $(((SECONDS - started) / 60)); }

section "Lint"
make --no-print-directory lint

section "Set up and test"
make --no-print-directory test

section "What the products offer"
make --no-print-directory api

export KEYPLAN_TEST_SEED=${KEYPLAN_TEST_SEED:-$RANDOM}
section "Slices of the slow proofs, KEYPLAN_TEST_SEED=$KEYPLAN_TEST_SEED"
KEYPLAN_TEST_BUILT=1 KEYPLAN_TEST_SHARE=2 scripts/test.sh --proofs

section "The release program"
make --no-print-directory release-check

section "Packages"
make --no-print-directory dist

section "Instruction counts"
make --no-print-directory counts

section "All passed"
