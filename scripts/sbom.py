#!/usr/bin/env python3
"""Writes what the release program consists of, as SPDX 2.3: sbom.py PROGRAM VERSION

Swift packages are those that SwiftPM resolved, with their commits; the libraries that are linked statically are those of the toolchain and of
the -dev packages that are installed here. Same program, same commit, same bytes: the time is SOURCE_DATE_EPOCH.
"""
import datetime, hashlib, json, os, pathlib, platform, re, shutil, subprocess, sys

program, version = pathlib.Path(sys.argv[1]), sys.argv[2]
root = pathlib.Path(__file__).resolve().parent.parent
repository = (root / "packaging/repository").read_text().strip()
home = f"https://github.com/{repository}"
linux = f"linux-{platform.machine()}"


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=root).stdout.strip()


def debian(package):
    """An installed Debian package's version; without its epoch and revision, too."""
    full = output("dpkg-query", "-W", "-f", "${Version}", package)
    return full, re.sub(r"^\d+:|-[^-]*$", "", full)


def identifier(name):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


packages, relationships = [], []


def package(name, version, supplier, license, location, purl, comment=None, copyright="NOASSERTION", **more):
    entry = {
        "SPDXID": identifier(name), "name": name, "versionInfo": version, "supplier": supplier, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": license, "licenseDeclared": license, "copyrightText": copyright,
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}] if purl else [],
        **({"comment": comment} if comment else {}), **more}
    packages.append(entry)
    return entry["SPDXID"]


def related(one, how, other):
    relationships.append({"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other})


digest = hashlib.sha256(program.read_bytes()).hexdigest()
main = package(
    "keyplan", version, "Organization: The keyplan authors", "Apache-2.0", f"{home}/releases/tag/v{version}",
    f"pkg:github/{repository}@v{version}", comment="The SHA-256 is that of the program, bin/keyplan.",
    copyright="2026 The keyplan authors", primaryPackagePurpose="APPLICATION",
    checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
related("SPDXRef-DOCUMENT", "DESCRIBES", main)

# Swift packages: the graph, with the commits that were checked out.
exceptions = {"swift-argument-parser"}
pins = {pin["identity"]: pin for pin in json.loads((root / "Package.resolved").read_text())["pins"]}
# A tag can be moved, and Package.swift names no packages that only another one needs.
known = [line.split()[:3] for line in (root / "scripts/swift-packages.txt").read_text().splitlines() if not line.startswith("#")]
resolved = [[name, pin["state"]["version"], pin["state"]["revision"]] for name, pin in pins.items()]
if sorted(known) != sorted(resolved):
    sys.exit(f"sbom: SwiftPM resolved {sorted(resolved)}, and scripts/swift-packages.txt has {sorted(known)}")
edges = set()


def visit(node, parent):
    for child in node["dependencies"]:
        name = child["identity"]
        url = re.sub(r"\.git$", "", child["url"])
        if name not in seen:
            state = pins[name]["state"]
            license = "Apache-2.0" + (" WITH Swift-exception" if name in exceptions else "")
            organization = url.split("/")[-2]
            seen[name] = package(
                name, state["version"], f"Organization: {organization} (https://github.com/{organization})", license,
                f"git+{url}.git@{state['revision']}", f"pkg:swift/{url.removeprefix('https://')}@{state['version']}",
                copyright="Apple Inc. and the Swift project authors")
        edges.add((parent, seen[name]))
        visit(child, seen[name])


seen = {}
visit(json.loads(output("swift", "package", "show-dependencies", "--format", "json")), main)
if missing := set(pins) - set(seen):
    sys.exit(f"sbom: resolved, but no dependency of anything: {', '.join(sorted(missing))}")
for one, other in sorted(edges):
    related(one, "DEPENDS_ON", other)

# What swift-crypto contains.
crypto = root / ".build/checkouts/swift-crypto/Sources"
boring = re.search(r"revision ([0-9a-f]{40})", (crypto / "CCryptoBoringSSL/hash.txt").read_text())[1]
related(seen["swift-crypto"], "CONTAINS", package(
    "BoringSSL", boring, "Organization: Google", "Apache-2.0", f"git+https://boringssl.googlesource.com/boringssl@{boring}",
    f"pkg:generic/boringssl@{boring}", copyright="The OpenSSL Project Authors, The BoringSSL Authors, the fiat-crypto authors"))
xkcp = re.search(r"-g([0-9a-f]{7,40})\)", (crypto / "CXKCP/vendored-sources.txt").read_text())[1]
related(seen["swift-crypto"], "CONTAINS", package(
    "XKCP", xkcp, "Organization: The Keccak Team", "CC0-1.0", f"git+https://github.com/XKCP/XKCP.git@{xkcp}", f"pkg:github/XKCP/XKCP@{xkcp}",
    copyright="NONE"))

# The toolchain's runtimes.
swift = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
related(main, "STATIC_LINK", package(
    "swift-runtime", swift, "Organization: Swift project (https://swift.org)", "Apache-2.0 WITH Swift-exception",
    f"https://github.com/swiftlang/swift/releases/tag/swift-{swift}-RELEASE", f"pkg:github/swiftlang/swift@swift-{swift}-RELEASE",
    comment="The standard library, concurrency, FoundationEssentials with swift-collections, libdispatch and BlocksRuntime.",
    copyright="Apple Inc. and the Swift project authors"))

# Libraries of the distribution, as they are linked in.
needed = output("readelf", "--dynamic", str(program))
archives = {p.name for p in (root / ".build-static").glob("*.a")}
distribution = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M))
vendor = distribution.get("ID", "linux")
gcc = output("gcc", "-dumpversion")
for name, file, soname, dev, license, location, copyright in [
    ("SQLite", "libsqlite3.a", "libsqlite3.so", "libsqlite3-dev", "blessing", "https://www.sqlite.org/", "NONE"),
    ("LibYAML", "libyaml.a", "libyaml-0.so", "libyaml-dev", "MIT", "https://github.com/yaml/libyaml", "2006-2020 Kirill Simonov"),
    ("libstdc++", "libstdc++.a", "libstdc++.so", f"libstdc++-{gcc}-dev", "GPL-3.0-or-later WITH GCC-exception-3.1",
     "https://gcc.gnu.org/", "Free Software Foundation, Inc."),
]:
    if soname in needed or file not in archives:
        sys.exit(f"sbom: {name} is not linked statically, which this list says it is")
    full, short = debian(dev)
    related(main, "STATIC_LINK", package(
        name, short, f"Organization: {distribution.get('NAME', vendor)}", license, location,
        f"pkg:deb/{vendor}/{dev}@{full}?arch={output('dpkg', '--print-architecture')}",
        comment=f"From the package {dev} {full}: its maintainers' corrections are in it.", copyright=copyright))

created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
print(json.dumps({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"keyplan-{version}-{linux}",
    "documentNamespace": f"{home}/releases/download/v{version}/keyplan-{version}-{linux}.spdx.json#{digest}".replace("#", "?sha256="),
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Organization: The keyplan authors", "Tool: sbom.py"]},
    "packages": packages, "relationships": relationships,
}, indent=2))
