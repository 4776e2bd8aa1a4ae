#!/usr/bin/env bash
# Runs the tests, and lists at the very end what failed and why, and the slowest suites.
#
#   scripts/test.sh                  all tests but the slow proofs
#   scripts/test.sh --proofs         the slow proofs (scripts/slow-proofs.txt): a sample of each, chosen by
#                                    KEYPLAN_TEST_SEED, or with KEYPLAN_TEST_FAULTS=all everything; with
#                                    KEYPLAN_TEST_SHARE=N every Nth of them, chosen by the seed, too
#   scripts/test.sh --filter REGEX   the tests that match, in one process; any options of swift-testing
#
# The built test program is started directly: `swift test` opens the build database, which fails while another process has
# it open, and it reports success when no test ran. Here a run that executes no test fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

list=scripts/slow-proofs.txt
proofs="($(grep -v '^#' "$list" | paste -sd '|'))"
logs=$(mktemp -d)
events=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$logs" "$events"' EXIT

[[ ${KEYPLAN_TEST_BUILT:-} == 1 ]] || swift build --build-tests
program=$(swift build --show-bin-path)/keyplanPackageTests.xctest
[[ -x $program ]] || { echo "test: $program is missing: swift build --build-tests" >&2; exit 1; }

# A complete run takes minutes, on a slow machine under load perhaps twenty. One that hangs is ended, so that the report can
# name the tests that did not end.
tests() {
  local log=$1
  shift
  timeout --kill-after=30 "${KEYPLAN_TEST_MINUTES:-40}m" "$program" --testing-library swift-testing "$@" \
    --event-stream-output-path "$events/$log" --event-stream-version 0 >"$logs/$log" 2>&1 </dev/null
}

# Several processes, with few tests at once in each: left alone, swift-testing starts all tests together on as many threads
# as there are cores. Tests that wait for programs block these threads, and tests that watch the clock miss their turn.
width=--experimental-maximum-parallelization-width
status=0
case ${1:-} in
  "")
    echo "==> Testing; the output follows when a process has ended, in some minutes"
    servers='KeyplanProgramTests.*(SharedStore|Account)'
    tests programs "$width" 3 --filter KeyplanProgramTests --skip "$servers" --skip "$proofs" &
    programs=$!
    tests servers "$width" 3 --filter "$servers" --skip "$proofs" &
    servers=$!
    tests others "$width" 4 --skip KeyplanProgramTests --skip "$proofs" || status=$?
    cat "$logs/others"
    wait "$servers" || status=$?
    cat "$logs/servers"
    wait "$programs" || status=$?
    cat "$logs/programs"
    ;;
  --proofs)
    # Without a network their tests are skipped, and say so.
    scripts/setup-aws.sh || echo "test: scripts/setup-aws.sh failed: the tests of AWS are skipped" >&2
    echo "==> Slow proofs: KEYPLAN_TEST_SEED=${KEYPLAN_TEST_SEED:-none} KEYPLAN_TEST_FAULTS=${KEYPLAN_TEST_FAULTS:-sample}"
    scripts/setup-judges.sh || echo "test: the large clients of services cannot be installed, and their tests are skipped" >&2
    export KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python
    if ((${KEYPLAN_TEST_SHARE:-1} > 1)); then
      proofs="($(grep -v '^#' "$list" | while read -r line; do
        hash=$(sha256sum <<<"${KEYPLAN_TEST_SEED:-0} $line")
        ((0x${hash:0:6} % KEYPLAN_TEST_SHARE)) || echo "$line"
      done | paste -sd '|'))"
      echo "==> Chosen: $proofs"
    fi
    tests proofs "$width" 3 --filter "$proofs" || status=$?
    cat "$logs/proofs"
    ;;
  *)
    tests chosen "$width" 4 "$@" || status=$?
    cat "$logs/chosen"
    ;;
esac

# Every process must have executed tests: a filter that matches nothing proves nothing.
count=0
for log in "$logs"/*; do
  ran=$(sed -nE 's/^. Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -n 1)
  if ((${ran:-0} == 0)); then
    echo "test: the process \"${log##*/}\" executed no test" >&2
    ((status)) || status=1
  fi
  count=$((count + ${ran:-0}))
done

printf '\n==> Slowest suites, the times of their tests added up\n'
scripts/slowest-suites.py 10 "$events"/* || true

if ((status == 0)); then
  printf '\n==> %s tests passed\n' "$count"
  exit 0
fi
printf '\n==> Failed\n'
# A failure, and the lines that swift-testing puts under it.
awk '/^✘.*recorded an issue|error: / { print substr($0, 1, 240); more = 6; next }
     /^(✔|✘|◇)/ { more = 0 } more-- > 0 { print substr($0, 1, 240) }' "$logs"/* | sed -n 1,24p
# All that failed, and what started and did not end in a process that was killed.
awk -v processes="$(find "$logs" -type f | wc -l)" '
     /^◇ Test (".*"|[^ ]*) started\.$/ { sub(/^◇ /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
     /^(✔|✘) Test / { for (test in open) if (index($0, test)) delete open[test] }
     /^✘ Test (".*"|[^ ]*) (with .* )?failed / { print substr($0, 1, 160) }
     /^(✔|✘) Test run with/ { ended++ }
     END { if (ended < processes) for (test in open) print "Did not end: " substr(test, 1, 160) }' "$logs"/* | tail -n 16
exit "$status"
