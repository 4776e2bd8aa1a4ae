#!/usr/bin/env bash
# Writes the comment of this plan, or replaces it. Only comments of GitHub Actions itself are replaced: anybody can write the mark.
set -euo pipefail

# The caller's secrets for planning are in this environment, too: gh gets what it needs.
read -r mark <"$COMMENT"
passed=(mark="$mark")
for name in PATH HOME GH_TOKEN GH_HOST HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy SSL_CERT_FILE SSL_CERT_DIR; do
  if [[ -n ${!name:-} ]]; then passed+=("$name=${!name}"); fi
done
github() { env -i "${passed[@]}" gh api "$@"; }

id=$(github --paginate "repos/$GH_REPO/issues/$NUMBER/comments" --jq \
  '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith(env.mark))) | .id' | head -n 1)
if [[ -n $id ]]; then
  github --method PATCH "repos/$GH_REPO/issues/comments/$id" --field "body=@$COMMENT" --silent
else
  github --method POST "repos/$GH_REPO/issues/$NUMBER/comments" --field "body=@$COMMENT" --silent
fi
