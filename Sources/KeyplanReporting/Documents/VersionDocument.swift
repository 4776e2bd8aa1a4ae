/// `schemas/version.schema.json`.
package struct VersionDocument: Encodable {
  let formatVersion = 1
  let version: String
  let storeFormats: [String]
  let libraries: Libraries
  #if os(macOS)
  let system = "macos"
  #else
  let system = "linux"
  #endif
  #if arch(arm64)
  let machine = "aarch64"
  #else
  let machine = "x86_64"
  #endif

  package struct Libraries: Encodable {
    let libyaml: String
    let sqlite: String

    package init(libyaml: String, sqlite: String) {
      self.libyaml = libyaml
      self.sqlite = sqlite
    }
  }

  package init(_ version: String, storeFormats: [String], libraries: Libraries) {
    self.version = version
    self.storeFormats = storeFormats
    self.libraries = libraries
  }
}
