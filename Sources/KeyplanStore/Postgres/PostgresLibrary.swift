import CPostgres
import KeyplanPorts

/// libpq, loaded when the first shared store needs it, so that it costs nothing for stores in files.
package enum PostgresLibrary {
  #if os(macOS)
  private static let file = "libpq.5.dylib"
  #else
  private static let file = "libpq.so.5"
  #endif

  /// The loader's error message; nil if libpq is loaded.
  static let fault = load(file)

  /// Loads it.
  package static var isPresent: Bool { fault == nil }

  static func load(_ file: String) -> String? { keyplan_pg_load(file).map { String(cString: $0) } }

  static func need() throws(StoreError) {
    guard let fault else { return }
    throw StoreError(
      .refused, "A shared store needs libpq 14 or later, which cannot be loaded: \(fault).",
      hint: "Install it (on Debian: apt-get install libpq5).")
  }
}
