#!/usr/bin/env bash
# Downloads a release of keyplan, verifies it, and puts it on the PATH of the job's other steps.
set -euo pipefail

repository=keyplan/keyplan
fail() { echo "::error title=keyplan::$*"; exit 1; }

[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "The version has to be like 0.1.0."
[[ $SHA256 =~ ^([0-9a-f]{64})?$ ]] || fail "The checksum has to be 64 hexadecimal digits."
[[ $(uname -s) == Linux ]] || fail "There are releases for Linux only."

name=keyplan-$VERSION-linux-$(uname -m)
folder=$(mktemp -d "$RUNNER_TEMP/keyplan.XXXXXX")
archive=$folder/$name.tar.gz
curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$archive" \
  "https://github.com/$repository/releases/download/v$VERSION/$name.tar.gz"

if [[ -n $SHA256 ]]; then
  echo "$SHA256  $archive" | sha256sum --check --quiet || fail "The archive is not the one with this checksum."
else
  gh attestation verify "$archive" --repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml" \
    --source-ref "refs/tags/v$VERSION" || fail "The archive's provenance could not be verified."
fi

tar -xzf "$archive" -C "$folder" --no-same-owner
rm "$archive"
program=$folder/$name/bin/keyplan
echo "$folder/$name/bin" >>"$GITHUB_PATH"
echo "version=$("$program" --version)" >>"$GITHUB_OUTPUT"
