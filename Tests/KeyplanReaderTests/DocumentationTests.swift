import Foundation
import TestTools
import Testing

/// The pages in `KeyplanReader.docc`.
@Suite("The reader's documentation")
struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// The module of files needs one in C, which a compiler that is called by hand does not find.
  private static let modules = [
    "-I", root.appending(path: ".build/debug/Modules").path, "-Xcc",
    "-fmodule-map-file=" + root.appending(path: ".build/debug/CFiles.build/module.modulemap").path,
  ]
  private static var catalog: URL { root.appending(path: "Sources/KeyplanReader/KeyplanReader.docc") }
  /// They are parts of a toolchain. In CI they have to be there.
  private static let hasTools =
    (try? Child.run(["sh", "-c", "command -v docc swift-symbolgraph-extract >/dev/null"])) == 0
    || ProcessInfo.processInfo.environment["CI"] != nil

  @Test(
    "converts without a warning: every link leads to a symbol, and every step to its code",
    .enabled(if: hasTools, "SKIPPED: docc is not in the PATH"))
  func converts() throws {
    let scratch = try Scratch()
    let extracted = try Child.answer(
      [
        "swift-symbolgraph-extract", "-module-name", "KeyplanReader", "-minimum-access-level", "public", "-target",
        Self.target, "-output-dir", scratch.path,
      ] + Self.modules, errors: true)
    #expect(extracted.status == 0, "\(String(decoding: extracted.bytes, as: UTF8.self))")
    let converted = try Child.answer(
      [
        "docc", "convert", Self.catalog.path, "--additional-symbol-graph-dir", scratch.path,
        "--fallback-bundle-identifier", "keyplan.reader", "--output-path", scratch.path + "/out",
      ], errors: true)
    let said = String(decoding: converted.bytes, as: UTF8.self)
    // A parameter that needs no explanation has none.
    let faults = said.split(separator: "\n").filter {
      $0.contains("warning:") && !$0.contains("is missing documentation")
    }
    #expect(converted.status == 0 && faults.isEmpty, "\(said)")
  }

  @Test(
    "the code of the tutorial compiles", .enabled(if: hasTools, "SKIPPED: docc is not in the PATH"),
    arguments: 1...6)
  func compiles(step: Int) throws {
    let scratch = try Scratch()
    // The module of the store needs more modules in C.
    var files = ["store.swift": Self.store]
    for number in Set([1, step]) {
      let page = Self.catalog.appending(path: "Resources/reading-\(number).swift")
      files["\(number).swift"] = try String(contentsOf: page, encoding: .utf8)
        .replacing("import KeyplanReaderStore\n", with: "")
    }
    var paths: [String] = []
    for (name, text) in files {
      paths.append(scratch.path + "/" + name)
      try text.write(toFile: scratch.path + "/" + name, atomically: true, encoding: .utf8)
    }
    let checked = try Child.answer(
      ["swiftc", "-typecheck", "-swift-version", "6"] + Self.modules + paths, errors: true)
    #expect(checked.status == 0, "\(String(decoding: checked.bytes, as: UTF8.self))")
  }

  private static let store = """
    import KeyplanReader

    struct StoreKeys: KeySource {
      let identity = "store"
      init() throws {}
      func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer { fatalError() }
    }

    """

  #if arch(arm64)
  private static let target = "aarch64-unknown-linux-gnu"
  #else
  private static let target = "x86_64-unknown-linux-gnu"
  #endif
}
