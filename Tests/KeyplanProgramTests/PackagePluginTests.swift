import Foundation
import TestTools
import Testing

/// A package that depends on this one by path, and uses the plugin `GenerateKeyNames`. It is built in `.build-plugin/`, so that a later
/// run takes less than the first one.
@Suite(
  "The plugin GenerateKeyNames", .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all",
    "SKIPPED: it builds the package once more; make torture runs it"))
struct PackagePluginTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private let package = Self.root.appending(path: ".build-plugin/package").path

  private func write(_ text: String, to name: String) throws {
    let path = URL(filePath: package + "/" + name)
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
  }

  private func build() throws -> Child.Answer {
    try Child.answer(
      [
        "env", "KEYPLAN_PLUGIN=1", "swift", "run", "--package-path", package, "--scratch-path", package + "/../build",
        "App",
      ],
      errors: true)
  }

  @Test("compiles the names of a manifest into a target, in which a key that is not declared does not compile")
  func builds() throws {
    try write(
      """
      // swift-tools-version: 6.1
      import PackageDescription

      let package = Package(
        name: "App", platforms: [.macOS(.v15)],
        dependencies: [.package(name: "keyplan", path: "\(Self.root.path)")],
        targets: [
          .executableTarget(
            name: "App", dependencies: [.product(name: "KeyplanReader", package: "keyplan")],
            plugins: [.plugin(name: "GenerateKeyNames", package: "keyplan")])
        ])

      """, to: "Package.swift")
    func use(_ name: String) throws {
      try write(
        "import KeyplanReader\n\n@main struct App { static func main() { print(\"key:\", APIKeyName.\(name)) } }\n",
        to: "Sources/App/App.swift")
    }
    try write("version: 1\nkeys: { openai-main: { provider: openai } }\n", to: "keyplan.yaml")
    try use("openaiMain")
    let good = try build()
    #expect(good.status == 0 && good.text.contains("key: openai-main\n"), "\(good.text.suffix(4000))")
    try use("mistralMain")
    let bad = try build()
    #expect(bad.status != 0 && bad.text.contains("has no member 'mistralMain'"), "\(bad.text.suffix(4000))")
    try write("version: 1\nkeys: { mistral-main: { provider: mistral } }\n", to: "keyplan.yaml")
    let declared = try build()
    #expect(declared.status == 0 && declared.text.contains("key: mistral-main\n"), "\(declared.text.suffix(4000))")
  }
}
