import KeyplanJSON
package import KeyplanSecrets

/// The value of a variable.
package enum BoundValue: Redacted, Sendable {
  case text(String)
  /// As it is written in JSON.
  case number(String)
  case bool(Bool)
  case list([String])
  case json(JSONLiteral)
  /// Segments of a path.
  case path([String])
  /// An address, or a path whose parts have been encoded: inserted unchanged.
  case ready(String)
  case secret(SecretBox)
}

/// The variables of one request. A variable without a value is absent.
package struct Bindings: Sendable {
  private(set) var values: [String: BoundValue] = [:]

  package subscript(name: String) -> BoundValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  package func merging(_ other: Bindings) -> Bindings {
    var merged = self
    merged.values.merge(other.values) { $1 }
    return merged
  }
}

/// A text that a template was expanded to.
package enum ExpandedText: Redacted, Sendable {
  case open(String)
  case secret(SecretBox)

  /// One text of several; a secret if one of them is.
  package init(joining parts: [ExpandedText]) {
    var text = ""
    for part in parts {
      guard case .open(let open) = part else {
        var writer = SecretWriter()
        for part in parts {
          switch part {
          case .open(let text): writer.append(text)
          case .secret(let secret): writer.append(secret)
          }
        }
        self = .secret(writer.finished())
        return
      }
      text += open
    }
    self = .open(text)
  }

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch self {
    case .open(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .secret(let secret): secret.withBytes(body)
    }
  }
}
