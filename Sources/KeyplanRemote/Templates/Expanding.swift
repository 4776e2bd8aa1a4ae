import KeyplanDocuments
import KeyplanSecrets

extension Template {
  /// The text with the values of its variables; nil if one of them has none.
  func text(_ bindings: Bindings) throws(RequestFault) -> ExpandedText? {
    var parts: [ExpandedText] = []
    for piece in pieces {
      switch piece {
      case .literal(let text): parts.append(.open(text))
      case .variable(let variable):
        guard let value = try variable.value(bindings) else { return nil }
        parts.append(try value.text())
      }
    }
    return ExpandedText(joining: parts)
  }

  /// A path, in which values cannot be more than the segments they stand for.
  func path(_ bindings: Bindings) throws(RequestFault) -> String {
    var path = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): path += text
      case .variable(let variable):
        guard let value = try variable.value(bindings) else { throw .noValue(variable.name) }
        switch value {
        case .ready(let text): path += text
        case .path(let segments):
          var parts: [String] = []
          for segment in segments { parts.append(try PathSegment.encode(segment, of: variable.name)) }
          path += parts.joined(separator: "/")
        default:
          guard case .open(let text) = try value.text() else { throw .notASegment(variable.name) }
          path += try PathSegment.encode(text, of: variable.name)
        }
      }
    }
    return path
  }
}

extension Template.Variable {
  /// The value after the transform; nil if there is none.
  func value(_ bindings: Bindings) throws(RequestFault) -> BoundValue? {
    guard let value = bindings[name] else { return nil }
    guard let transform else { return value }
    var argument: String?
    if case .sealedBox(let key) = transform, let bound = bindings[key], case .open(let text) = try bound.text() {
      argument = text
    }
    let bytes = try value.bytes()
    return .secret(
      try bytes.withBytes { (bytes) throws(RequestFault) in try transform.apply(bytes, argument: argument) })
  }
}

extension BoundValue {
  /// As a text, which is UTF-8.
  func text() throws(RequestFault) -> ExpandedText {
    switch self {
    case .text(let text), .number(let text), .ready(let text): return .open(text)
    case .bool(let flag): return .open(flag ? "true" : "false")
    case .list(let texts): return .open(texts.joined(separator: ","))
    case .path(let segments): return .open(segments.joined(separator: "/"))
    case .secret(let secret):
      guard secret.withBytes({ invalidUTF8(in: $0) }) == nil else { throw .notText }
      return .secret(secret)
    }
  }

  /// As bytes, which need not be UTF-8.
  func bytes() throws(RequestFault) -> SecretBox {
    if case .secret(let secret) = self { return secret }
    switch try text() {
    case .open(let text): return SecretBox(Array(text.utf8))
    case .secret(let secret): return secret
    }
  }
}

/// One segment of a path.
enum PathSegment {
  /// Encodes all but unreserved characters (RFC 3986, section 2.3).
  ///
  /// Refuses dot segments, also between encoded slashes: proxies decode `%2F` and then resolve `..`.
  static func encode(_ text: String, of variable: String) throws(RequestFault) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .flatMap { $0.split(separator: UInt8(ascii: "\\"), omittingEmptySubsequences: false) }
    let dot = UInt8(ascii: ".")
    let isDotted = parts.contains { $0.elementsEqual([dot]) || $0.elementsEqual([dot, dot]) }
    guard !text.isEmpty, !isDotted, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw .notASegment(variable)
    }
    return encode(text)
  }

  /// Encodes all but unreserved characters.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
