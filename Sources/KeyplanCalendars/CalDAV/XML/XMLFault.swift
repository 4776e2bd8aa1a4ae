/// Why a document cannot be used. Nothing of it is quoted.
enum XMLFault: Error, Hashable, Sendable {
  /// It is no well-formed XML in UTF-8; the place is the first one that shows it.
  case malformed(line: Int)
  /// It declares a document type. WebDAV needs none (RFC 4918, section 20.6), and entities come with it.
  case doctype
  /// It is larger, deeper or has longer tags than any answer needs.
  case tooLarge
  /// libexpat is not on this machine; the reason is the loader's.
  case libraryMissing(String)
}

extension XMLFault: CustomStringConvertible {
  /// A part of a sentence, about a document.
  var description: String {
    switch self {
    case .malformed(let line): "it is not XML from line \(line) on"
    case .doctype: "it declares a document type, which could hide what it says"
    case .tooLarge: "it is larger than is taken"
    case .libraryMissing(let reason): "libexpat, which reads it, could not be loaded (\(reason))"
    }
  }
}
