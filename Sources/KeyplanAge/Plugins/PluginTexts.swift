import KeyplanCodecs

/// A text of a plugin, as it is shown to a person: without control characters, which could change what a terminal shows,
/// and not too long.
enum PluginTexts {
  private static let maximumLength = 1000

  static func shown(_ bytes: [UInt8]) throws(PluginFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(.text) }
    var shown = ""
    for scalar in text.unicodeScalars.prefix(maximumLength) {
      switch scalar.properties.generalCategory {
      case .lineSeparator, .paragraphSeparator: shown.unicodeScalars.append(" ")
      case .control: shown.unicodeScalars.append(" ")
      // Among them are those that reverse the direction of what follows.
      case .format, .surrogate, .privateUse, .unassigned: continue
      default: shown.unicodeScalars.append(scalar)
      }
    }
    let words = shown.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "(no text)" : words
  }

  /// The text of an argument in base64.
  static func shown(base64 argument: [UInt8]) throws(PluginFault) -> String {
    guard let bytes = Base64.bytes(in: argument[...]) else { throw .malformed(.command) }
    return try shown(bytes)
  }
}
