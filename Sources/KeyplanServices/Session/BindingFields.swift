import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets

extension Bindings {
  /// The values of a connection's or a place's fields, checked by their types.
  package init(_ inputs: [String: FieldInput], of fields: [SecretAPI.Field]) throws(RemoteFailure) {
    self.init()
    for field in fields {
      guard let input = inputs[field.name] ?? field.initial.map({ .text($0) }) else {
        guard !field.isRequired else { throw RemoteFailure(.unreadable, RemoteMessages.requiredField(field.name)) }
        continue
      }
      self[field.name] = try field.value(input)
    }
  }
}

extension SecretAPI.Field {
  package func value(_ input: FieldInput) throws(RemoteFailure) -> BoundValue {
    switch input {
    case .secret(let secret) where kind.isSecret: return .secret(secret)
    case .text(let text) where kind.isSecret: return .secret(SecretBox(Array(text.utf8)))
    case .secret: throw fault("text that is not secret")
    case .text(let text):
      if let pattern, !pattern.matches(Array(text.utf8)) { throw fault("of the form \(pattern.text)") }
      return try value(text)
    }
  }

  private func value(_ text: String) throws(RemoteFailure) -> BoundValue {
    switch kind {
    case .name, .text, .secret, .jwt: return .text(text)
    case .path:
      let segments = text.split(separator: "/").map(String.init)
      guard !segments.isEmpty else { throw fault("a path") }
      return .path(segments)
    case .label:
      let bytes = text.utf8
      let isLabel = bytes.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
      }
      guard (1...63).contains(bytes.count), isLabel, !text.hasPrefix("-"), !text.hasSuffix("-") else {
        throw fault("one part of a host name")
      }
      return .ready(text.lowercased())
    case .url:
      var trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
      if let scheme, !trimmed.utf8.contains("://".utf8) { trimmed = "\(scheme)://\(trimmed)" }
      if let ending, trimmed.hasSuffix(ending) { trimmed.removeLast(ending.count) }
      guard (try? HTTPAddress(trimmed)) != nil, !trimmed.contains("?"), !Self.hasDotSegment(trimmed) else {
        throw fault("an https:// address")
      }
      return .ready(trimmed)
    case .bool:
      guard let flag = Bool(text) else { throw fault("true or false") }
      return .bool(flag)
    case .int:
      guard let number = Int(text) else { throw fault("a whole number") }
      return .number(String(number))
    case .list: return .list(text.split(separator: ",").map(String.init))
    case .json:
      guard let answer = JSONAnswer(SecretBox(Array(text.utf8))), let value = answer.literal(answer.root) else {
        throw fault("a JSON value")
      }
      return .json(value)
    }
  }

  private static func hasDotSegment(_ address: String) -> Bool {
    address.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  private func fault(_ form: String) -> RemoteFailure {
    RemoteFailure(.unreadable, RemoteMessages.invalidField(name, must: form))
  }
}
