#!/usr/bin/env bash
# Plans once: text and annotations go to the log, the plan to a file, and what it wrote as the job's summary is the comment, too.
set -euo pipefail

folder=$(mktemp -d "$RUNNER_TEMP/keyplan-plan.XXXXXX")
words=(--manifest "$KEYPLAN_ACTION_MANIFEST" --format github --out "$folder/plan.kp")
if [[ -n $KEYPLAN_ACTION_ENVIRONMENT ]]; then words+=(--environment "$KEYPLAN_ACTION_ENVIRONMENT"); fi

# Each environment and manifest has a comment of its own, which is found again by this line.
mark=$(printf '%s\n%s' "$KEYPLAN_ACTION_MANIFEST" "$KEYPLAN_ACTION_ENVIRONMENT" | sha256sum | cut -c 1-16)
echo "<!-- keyplan plan $mark -->" >"$folder/comment.md"
echo "comment=$folder/comment.md" >>"$GITHUB_OUTPUT"

code=0
GITHUB_STEP_SUMMARY=$folder/summary.md keyplan plan "${words[@]}" || code=$?
if [[ -s $folder/summary.md ]]; then
  # GitHub takes 65,536 characters.
  head -c 60000 "$folder/summary.md" >>"$folder/comment.md"
  if (($(stat -c %s "$folder/summary.md") > 60000)); then
    printf '\n\n**The plan is longer than a comment: the job has all of it.**\n' >>"$folder/comment.md"
  fi
  cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
else
  echo "keyplan could not plan (exit code $code). The job's log has the reason." >>"$folder/comment.md"
fi
if [[ -f $folder/plan.kp ]]; then echo "file=$folder/plan.kp" >>"$GITHUB_OUTPUT"; fi
exit "$code"
