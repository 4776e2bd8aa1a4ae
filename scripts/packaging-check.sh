#!/usr/bin/env bash
# Checks what `make dist` made and the files that packages, hooks and CI services read, each with its own tool. Needs no root; where a tool is
# missing, its checks are skipped and counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=$PWD/.build-dist/bin
shopt -s nullglob
archives=(dist/keyplan-*-linux-"$(uname -m)".tar.gz)
((${#archives[@]} == 1)) || { echo "packaging-check: no archive, or several, in dist/: make dist" >&2; exit 1; }
archive=${archives[0]}
name=$(basename "$archive" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0
skipped=()
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    echo "packaging-check: $what failed: $*" >&2
    cat "$work/log" >&2
    exit 1
  fi
}
has() { command -v "$1" >/dev/null || { skipped+=("$2 ($1 is missing)"); return 1; }; }

# The archive, as a user gets it.
check "checksums" env -C dist sha256sum --check --quiet --strict SHA256SUMS
tar -xzf "$archive" -C "$work"
tree=$work/$name
check "the archive's program" scripts/binary-check.sh "$tree/bin/keyplan"
for file in share/man/man1/keyplan-plan.1 share/bash-completion/completions/keyplan share/zsh/site-functions/_keyplan \
  share/fish/vendor_completions.d/keyplan.fish share/doc/keyplan/LICENSE share/doc/keyplan/copyright; do
  check "a file of the archive" test -s "$tree/$file"
done
check "owners in the archive" bash -c "! tar --numeric-owner -tvzf '$archive' | grep -vq ' 0/0 '"
"$tree/bin/keyplan" --version --json >"$work/version.json"
"$tree/bin/keyplan" schema version >"$work/version.schema.json"
check "--version --json" "$tools/check-jsonschema" --schemafile "$work/version.schema.json" "$work/version.json"
# A release and what names it agree.
version=$("$tree/bin/keyplan" --version)
for file in actions/setup/action.yml templates/pipeline.yml; do
  check "the default version" grep -qE "default: $version\$" "$file"
done
named=$(git grep -hoE '(releases/download/|actions/(setup|plan)@|pipeline@|'"$(<packaging/repository)"'[@:]|rev: )v?[0-9]+\.[0-9]+\.[0-9]+' -- README.md docs examples \
  | grep -oE '[0-9.]+$' | sort -u)
check "the version in documents" test "$named" = "$version"
check "the repository's address" scripts/repository.sh --check

# The SBOM: two readers, one of them for the minimum that NTIA asks for.
check "SPDX" "$tools/pyspdxtools" --infile "dist/$name.spdx.json"
check "NTIA's minimum" "$tools/sbomcheck" --comply ntia --file "dist/$name.spdx.json"

# Files for other programs.
check "the Dockerfile" "$tools/hadolint" Dockerfile
check "hooks" "$tools/pre-commit" validate-manifest .pre-commit-hooks.yaml
workflows=(.github/workflows/*.yml examples/*/.github/workflows/*.yml)
actions=(actions/*/action.yml)
check "workflows" "$tools/check-jsonschema" --builtin-schema vendor.github-workflows "${workflows[@]}"
check "actions" "$tools/check-jsonschema" --builtin-schema vendor.github-actions "${actions[@]}"
check "workflows" "$tools/actionlint" -no-color -shellcheck "$tools/shellcheck" "${workflows[@]}"
check "workflows and actions" "$tools/zizmor" --offline --pedantic --min-severity low --no-progress "${workflows[@]}" "${actions[@]}"
check "shell" "$tools/shellcheck" --severity warning actions/*/*.sh scripts/*.sh
awk -v folder="$work" '/^---$/ { part = 1; next } { print > folder "/" (part ? "jobs" : "spec") ".yml" }' templates/pipeline.yml
for part in spec jobs; do
  check "the component" "$tools/check-jsonschema" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci "$work/$part.yml"
done

# aqua and mise: the names that the entry makes are those of the files.
check "the entry for aqua" "$tools/python" - "$name" <<'END'
import pathlib, re, sys, tarfile, yaml

name = sys.argv[1]
version, machine = re.fullmatch(r"keyplan-(.+)-linux-(.+)", name).groups()
entry = yaml.safe_load(pathlib.Path("packaging/aqua/registry.yaml").read_text())["packages"][0]
architectures = {value: key for key, value in entry["replacements"].items()}
fields = {"trimV .Version": version, ".OS": "linux", ".Arch": entry["replacements"][architectures[machine]], ".Format": entry["format"]}


def filled(text):
    return re.sub(r"\{\{(.+?)\}\}", lambda match: fields[match[1]], text)


asset = pathlib.Path("dist", filled(entry["asset"]))
assert asset.is_file(), asset
with tarfile.open(asset) as archive:
    member = archive.getmember(filled(entry["files"][0]["src"]))
    assert member.mode & 0o111, member.name
sums = pathlib.Path("dist", entry["checksum"]["asset"]).read_text()
assert f"  {asset.name}\n" in sums
workflow = entry["github_artifact_attestations"]["signer_workflow"].removeprefix(f"{entry['repo_owner']}/{entry['repo_name']}/")
assert pathlib.Path(workflow).is_file(), workflow
END

# The hooks, as pre-commit runs them on another repository. Its copy of this one has what is committed.
hooks() {
  export PATH="$tree/bin:$PATH" HOME="$work/home" GIT_CONFIG_NOSYSTEM=1 PRE_COMMIT_HOME="$work/pre-commit"
  mkdir -p "$work/home" "$work/repository" "$work/hooks"
  git config --global user.email nobody@localhost
  git config --global user.name nobody
  cp .pre-commit-hooks.yaml "$work/hooks/"
  git -C "$work/hooks" init --quiet
  git -C "$work/hooks" add .
  git -C "$work/hooks" commit --quiet -m hooks
  cd "$work/repository"
  git init --quiet
  printf 'version: 1\nkeys: {}\n' >keyplan.yaml
  keyplan fmt --quiet
  git add keyplan.yaml
  "$tools/pre-commit" try-repo "$work/hooks" --all-files --verbose || return 1
  printf 'version: 1\nkeys: []\n' >keyplan.yaml
  ! "$tools/pre-commit" try-repo "$work/hooks" keyplan-validate --all-files || return 1
  printf 'keys:   {}\nversion:   1\n' >keyplan.yaml
  ! "$tools/pre-commit" try-repo "$work/hooks" keyplan-fmt --all-files
}
check "hooks in a repository" bash -c "$(declare -p tools tree work); $(declare -f hooks); hooks"

if has ruby "the Homebrew formula"; then
  check "the formula's syntax" ruby -c dist/keyplan.rb
  check "the formula" ruby packaging/checks/formula.rb dist/keyplan.rb "$archive"
fi
if has nix "the Nix flake"; then
  mkdir -p "$work/flake" "$work/nixpkgs"
  tar -xzf dist/keyplan-"$version"-nix.tar.gz -C "$work/flake" --strip-components 1
  # In the place of nixpkgs: what the flake takes from it, shown as it was called.
  cat >"$work/nixpkgs/flake.nix" <<'END'
{
  outputs = { self }: {
    legacyPackages = builtins.listToAttrs (map (system: {
      name = system;
      value = {
        stdenv.mkDerivation = attributes: { type = "derivation"; name = "${attributes.pname}-${attributes.version}"; inherit attributes; };
        fetchurl = attributes: attributes;
        autoPatchelfHook = "autoPatchelfHook";
        curl = "curl"; expat = "expat"; libpq = "libpq"; openssl = "openssl"; systemdLibs = "systemdLibs";
        lib = { getLib = package: package; licenses.asl20 = "asl20"; };
      };
    }) [ "x86_64-linux" "aarch64-linux" ]);
  };
}
END
  evaluate() {
    nix --extra-experimental-features 'nix-command flakes' --store "$work/nix" eval --offline --no-write-lock-file --impure --json \
      --override-input nixpkgs "path:$work/nixpkgs" "path:$work/flake#packages.$(uname -m)-linux.default.attributes.$1"
  }
  check "the flake" evaluate version
  check "the flake's archive" test "$(evaluate src.sha256 2>"$work/log")" = "\"$(sha256sum <"$archive" | cut -d ' ' -f 1)\""
fi

echo "packaging-check: $passed checks passed"
if ((${#skipped[@]} > 0)); then
  echo "packaging-check: ${#skipped[@]} SKIPPED: $(printf '%s; ' "${skipped[@]}")" >&2
fi
