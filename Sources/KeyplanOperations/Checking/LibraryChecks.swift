internal import KeyplanAge
internal import KeyplanCalendars
internal import KeyplanDocuments
internal import KeyplanHTTP
internal import KeyplanLocal
package import KeyplanReporting
internal import KeyplanStore

/// The libraries that the program runs with.
package enum LibraryChecks {
  /// A library that is loaded on first use.
  private struct Library {
    let name: String
    let isPresent: Bool
    /// The features that require it.
    let use: String
    let package: String
  }

  private static func optional() -> [Library] {
    var libraries = [
      Library(
        name: "libcurl", isPresent: CurlLibrary.isPresent, use: "services and calendar accounts", package: "libcurl4"),
      Library(name: "libpq", isPresent: PostgresLibrary.isPresent, use: "stores on PostgreSQL", package: "libpq5"),
      Library(name: "libexpat", isPresent: ExpatLibrary.isPresent, use: "CalDAV accounts", package: "libexpat1"),
      Library(
        name: "libcrypto", isPresent: CryptoLibrary.isPresent, use: "RSA recipients and identities", package: "libssl3"),
    ]
    #if os(Linux)
    libraries.append(
      Library(name: "libsystemd", isPresent: SystemdLibrary.isPresent, use: "keyrings", package: "libsystemd0"))
    #endif
    return libraries
  }

  /// Never a failure: commands that need a library that is missing report an error of their own.
  package static func all() -> [Check] {
    let libraries = optional()
    let found = libraries.filter(\.isPresent).map(\.name)
    return [
      .ok(.libraries, "SQLite \(SQLiteLibrary.version), libyaml \(YAMLDocument.libraryVersion)"),
      .ok(.libraries, "loaded on first use: \(found.isEmpty ? "none found" : found.joined(separator: ", "))"),
    ]
      + libraries.filter { !$0.isPresent }.map {
        .ok(.libraries, "\($0.name) not found, required for \($0.use) (on Debian: \($0.package))")
      }
  }

  /// The JSON of `keyplan --version --json`.
  package static func version(_ version: String) -> VersionDocument {
    VersionDocument(
      version, storeFormats: [StoreFormat.name],
      libraries: .init(libyaml: YAMLDocument.libraryVersion, sqlite: SQLiteLibrary.version))
  }
}
