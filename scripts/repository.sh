#!/usr/bin/env bash
# The repository's address is set in packaging/repository, as OWNER/NAME.
#
#   scripts/repository.sh OWNER/NAME   writes it there, and into all files that name it
#   scripts/repository.sh --check      fails if a file names another
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

present=$(<packaging/repository)
name='[A-Za-z0-9_.-]+/[A-Za-z0-9_-]+'
# Where an address can be: on GitHub, its registry, in GitLab's catalog, and as the repository of actions, workflows and packages.
before='(github\.com/|ghcr\.io/|\$CI_SERVER_FQDN/|uses: "?|github:|aqua:|pkg:github/|--repo |repository=|signer[-_]workflow:? )'
# What `keyplan ci` prints.
release=Sources/KeyplanReporting/Jobs/Release.swift
# Of others: what a clone is not built from.
named() { git grep -hoE "$before$name" -- . ':!Sources' ':!scripts/repository.sh' | sed -E "s#^$before##"; }

case ${1:-} in
  --check)
    other=$({ named; sed -n 's/.*static let repository = "\(.*\)"/\1/p' "$release"; awk '/repo_owner:/ { owner = $2 } /repo_name:/ { print owner "/" $2 }' packaging/aqua/registry.yaml; } | grep -E '/keyplan$|^keyplan/' | sort -u | grep -Fxv "$present" || true)
    [[ -z $other ]] || { echo "repository: packaging/repository names $present, and files name $other" >&2; exit 1; }
    ;;
  */*)
    grep -qxE "$name" <<<"$1" || { echo "repository: not an OWNER/NAME: $1" >&2; exit 1; }
    git grep -lE "$before$present\b" -- . ':!Sources' ':!scripts/repository.sh' | while read -r file; do
      sed -i -E "s#$before$present\b#\1$1#g" "$file"
    done
    sed -i "s#static let repository = .*#static let repository = \"$1\"#" "$release"
    sed -i -e "s#repo_owner: .*#repo_owner: ${1%/*}#" -e "s#repo_name: .*#repo_name: ${1#*/}#" packaging/aqua/registry.yaml
    echo "$1" >packaging/repository
    ;;
  *)
    echo "usage: scripts/repository.sh OWNER/NAME | --check" >&2
    exit 64
    ;;
esac
