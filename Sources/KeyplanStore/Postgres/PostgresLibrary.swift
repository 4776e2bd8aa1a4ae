import CPostgres
import KeyplanApply

/// libpq, loaded when the first shared store needs it: who keeps a store in a file pays nothing for it.
enum PostgresLibrary {
  #if os(macOS)
  private static let file = "libpq.5.dylib"
  #else
  private static let file = "libpq.so.5"
  #endif

  /// Why it is not there, in the loader's words; nil once it is loaded.
  static let fault = load(file)

  static func load(_ file: String) -> String? { keyplan_pg_load(file).map { String(cString: $0) } }

  static func need() throws(StoreError) {
    guard let fault else { return }
    throw StoreError(
      .refused, "A shared store needs libpq 14 or later, and it cannot be loaded: \(fault).",
      hint: "On Debian and its relatives: apt-get install libpq5")
  }
}
