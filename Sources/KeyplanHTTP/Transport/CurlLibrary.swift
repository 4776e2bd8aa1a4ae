import CCurl

/// libcurl, loaded when the first request needs it: loading it with its thirty libraries takes longer than all the rest
/// of a command that needs no network.
package enum CurlLibrary {
  #if os(macOS)
  private static let file = "libcurl.4.dylib"
  #else
  private static let file = "libcurl.so.4"
  #endif

  /// The loader's error message; `nil` if libcurl is loaded.
  static let fault = load(file)

  /// Loads it.
  package static var isPresent: Bool { fault == nil }

  static func load(_ file: String) -> String? { keyplan_curl_load(file).map { String(cString: $0) } }
}
