import CExpat

/// libexpat, loaded with the first document: most commands read none, and a machine without it can do all the rest.
enum ExpatLibrary {
  #if os(macOS)
  private static let file = "libexpat.1.dylib"
  #else
  private static let file = "libexpat.so.1"
  #endif

  /// Why it is not there, in the loader's words; `nil` once it is loaded.
  static let fault = load(file)

  static func load(_ file: String) -> String? { keyplan_expat_load(file).map { String(cString: $0) } }
}
