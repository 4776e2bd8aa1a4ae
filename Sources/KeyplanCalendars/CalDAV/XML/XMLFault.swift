/// The reason that a document cannot be used. Quotes none of it.
enum XMLFault: Error, Hashable, Sendable {
  /// It is not well-formed XML in UTF-8; with the line of the first error.
  case malformed(line: Int)
  /// It declares a document type. WebDAV needs none (RFC 4918, section 20.6), and it could define entities.
  case doctype
  /// It is larger, deeper or has longer tags than any valid response.
  case tooLarge
  /// libexpat is not installed; with the loader's message.
  case libraryMissing(String)
}

extension XMLFault: CustomStringConvertible {
  /// A part of a sentence about a document.
  var description: String {
    switch self {
    case .malformed(let line): "it is not well-formed XML (line \(line))"
    case .doctype: "it declares a document type, which is not allowed"
    case .tooLarge: "it is larger than allowed"
    case .libraryMissing(let reason): "libexpat could not be loaded (\(reason))"
    }
  }
}
