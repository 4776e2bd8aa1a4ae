import CCurl

/// libcurl, loaded when the first request needs it: with the thirty libraries that it brings that takes longer than all
/// the rest of a command that needs no network.
enum CurlLibrary {
  #if os(macOS)
  private static let file = "libcurl.4.dylib"
  #else
  private static let file = "libcurl.so.4"
  #endif

  /// Why it is not there, in the loader's words; `nil` once it is loaded.
  static let fault = load(file)

  static func load(_ file: String) -> String? { keyplan_curl_load(file).map { String(cString: $0) } }
}
