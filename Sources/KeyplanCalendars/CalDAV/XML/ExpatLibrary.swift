import CExpat

/// libexpat, loaded with the first document: most commands need none, and work without it.
package enum ExpatLibrary {
  #if os(macOS)
  private static let file = "libexpat.1.dylib"
  #else
  private static let file = "libexpat.so.1"
  #endif

  /// The loader's error message; `nil` if libexpat is loaded.
  static let fault = load(file)

  /// Loads it.
  package static var isPresent: Bool { fault == nil }

  static func load(_ file: String) -> String? { keyplan_expat_load(file).map { String(cString: $0) } }
}
