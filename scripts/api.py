#!/usr/bin/env python3
"""Compares what the products offer to other packages with api/PRODUCT.txt: api.py [--record]

One line for each public declaration, as the compiler knows it. A change of these files is a change of the API: a line that is changed or
removed breaks programs. Run it after `swift build`.
"""
import difflib, json, os, pathlib, shutil, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parent.parent
modules = ["KeyplanLibrary", "KeyplanReader", "KeyplanReaderHTTP", "KeyplanReaderStore", "KeyplanSecrets"]


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=root).stdout


built = pathlib.Path(output("swift", "build", "--show-bin-path").strip())
compiler = pathlib.Path(os.path.realpath(shutil.which("swift"))).parent
triple = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
maps = [*built.glob("C*.build/module.modulemap"), *root.glob("Sources/C*/**/module.modulemap")]
flags = [word for map in maps for word in ("-Xcc", f"-fmodule-map-file={map}")]


def declarations(module):
    with tempfile.TemporaryDirectory() as folder:
        output(
            compiler / "swift-symbolgraph-extract", "-module-name", module, "-target", triple, "-I", built / "Modules",
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder, *flags)
        symbols = [
            symbol for file in pathlib.Path(folder).glob("*.symbols.json") for symbol in json.loads(file.read_text())["symbols"]]
    lines = {
        ".".join(symbol["pathComponents"]) + "  " + "".join(part["spelling"] for part in symbol["declarationFragments"])
        for symbol in symbols}
    return "".join(" ".join(line.split("\n")) + "\n" for line in sorted(lines))


status = 0
for module in modules:
    file = root / "api" / f"{module}.txt"
    found = declarations(module)
    if not found:
        sys.exit(f"api: {module} has no public declaration: swift build")
    if "--record" in sys.argv:
        file.parent.mkdir(exist_ok=True)
        file.write_text(found)
        continue
    known = file.read_text() if file.exists() else ""
    if found != known:
        status = 1
        sys.stdout.writelines(difflib.unified_diff(
            known.splitlines(True), found.splitlines(True), f"api/{module}.txt", "as built", n=0))
if status:
    print("api: the API has changed: scripts/api.py --record, and say in CHANGELOG.md what programs have to change", file=sys.stderr)
sys.exit(status)
