package import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
package import KeyplanSecrets

extension Template {
  /// The text with the values of its variables; nil if one of them has none.
  package func text(_ bindings: Bindings) throws(RequestFault) -> ExpandedText? {
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

  /// A path, in which a value cannot add segments to those it stands for.
  package func path(_ bindings: Bindings) throws(RequestFault) -> String {
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
  package func value(_ bindings: Bindings) throws(RequestFault) -> BoundValue? {
    guard let value = bindings[name] else { return nil }
    guard let transform else { return value }
    var argument: String?
    if transform == .fromNow { return .text(try Self.time(after: value, bindings)) }
    if case .sealedBox(let key) = transform, let bound = bindings[key], case .open(let text) = try bound.text() {
      argument = text
    }
    let bytes = try value.bytes()
    return .secret(
      try bytes.withBytes { (bytes) throws(RequestFault) in try transform.apply(bytes, argument: argument) })
  }

  private static func time(after value: BoundValue, _ bindings: Bindings) throws(RequestFault) -> String {
    guard case .number(let text) = value, let seconds = Int32(text), seconds >= 0,
      case .number(let now)? = bindings[Template.Transform.now], let start = Int64(now)
    else { throw .noValue(Template.Transform.now) }
    return Moment(seconds: start + Int64(seconds)).description
  }
}

extension BoundValue {
  /// As a text, which is UTF-8.
  package func text() throws(RequestFault) -> ExpandedText {
    switch self {
    case .text(let text), .number(let text), .ready(let text): return .open(text)
    case .bool(let flag): return .open(flag ? "true" : "false")
    case .list(let texts): return .open(texts.joined(separator: ","))
    case .path(let segments): return .open(segments.joined(separator: "/"))
    // Refused where a description is read.
    case .json: throw .notText
    case .secret(let secret):
      guard secret.withBytes({ invalidUTF8(in: $0) }) == nil else { throw .notText }
      return .secret(secret)
    }
  }

  /// As bytes, which need not be UTF-8.
  package func bytes() throws(RequestFault) -> SecretBox {
    if case .secret(let secret) = self { return secret }
    switch try text() {
    case .open(let text): return SecretBox(Array(text.utf8))
    case .secret(let secret): return secret
    }
  }
}

extension PathSegment {
  /// - Throws: `RequestFault.notASegment` with the name of the variable.
  package static func encode(_ text: String, of variable: String) throws(RequestFault) -> String {
    guard let segment = PathSegment.encoded(segment: text) else { throw .notASegment(variable) }
    return segment
  }
}
