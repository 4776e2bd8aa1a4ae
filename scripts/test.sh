#!/usr/bin/env bash
# Runs every test, and says at the very end which ones failed and why: thousands of lines stand above.
#
# Runs side by side, few tests at once in each: what runs the program, what of that mostly waits for servers, and all else.
# Left alone, swift-testing begins all tests together, on as many threads as there are cores: those that wait for programs
# block these threads, and those that go by the clock miss their turn.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

logs=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$logs"' EXIT

# A run takes minutes, on a slow machine under load perhaps twenty. One that hangs is ended, so that it can be told where.
tests() {
  timeout --kill-after=30 "${KEYPLAN_TEST_MINUTES:-40}m" \
    swift test --skip-build --ignore-lock --experimental-maximum-parallelization-width "$@" 2>&1
}

swift build --build-tests
printf '\n==> Testing; what is said follows in some minutes, when a run has ended\n'
servers='KeyplanProgramTests.*(SharedStore|Account)'
tests 3 --filter KeyplanProgramTests --skip "$servers" >"$logs/programs" &
programs=$!
tests 3 --filter "$servers" >"$logs/servers" &
waiting=$!
status=0
# Into a file as the others: a pipe is open until the last process that a test left behind has ended.
tests 4 --skip KeyplanProgramTests >"$logs/others" || status=$?
cat "$logs/others"
wait "$waiting" || status=$?
cat "$logs/servers"
wait "$programs" || status=$?
cat "$logs/programs"

((status == 0)) && exit 0
printf '\n==> Failed\n'
# A failure, and the lines that swift-testing puts under it.
awk '/^✘.*recorded an issue|error: / { print substr($0, 1, 240); more = 6; next }
     /^(✔|✘|◇)/ { more = 0 } more-- > 0 { print substr($0, 1, 240) }' "$logs"/* | head -n 24
# All that failed, and what began and did not end in a run that was ended.
awk '/^◇ Test (".*"|[^ ]*) started\.$/ { sub(/^◇ /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
     /^(✔|✘) Test / { for (test in open) if (index($0, test)) delete open[test] }
     /^✘ Test (".*"|[^ ]*) (with .* )?failed / { print substr($0, 1, 160) }
     /^(✔|✘) Test run with/ { ended++ }
     END { if (ended < 3) for (test in open) print "Did not end: " substr(test, 1, 160) }' "$logs"/* | tail -n 16
exit "$status"
