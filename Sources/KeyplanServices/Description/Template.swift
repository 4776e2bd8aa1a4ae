/// A text with variables: `{name}`, or `{name|transform}` and `{name|transform:argument}`.
package struct Template: Hashable, Sendable {
  package enum Piece: Hashable, Sendable {
    case literal(String)
    case variable(Variable)
  }

  /// A variable and the transform of its value.
  package struct Variable: Hashable, Sendable {
    package let name: String
    package var transform: Transform?
  }

  /// The transforms that a description can name; there are no others.
  package enum Transform: Hashable, Sendable {
    /// Base64 with padding (RFC 4648, section 4).
    case base64
    /// CRC-32C (RFC 3720, appendix B.4) as a decimal number.
    case crc32c
    /// A sealed box of libsodium for the public key that the named variable holds, both in Base64.
    case sealedBox(key: String)
    /// The time that many seconds after the request is made (RFC 3339, in UTC).
    case fromNow
  }

  /// An error in a template.
  package enum Fault: Error, Hashable {
    /// A brace that does not belong to a variable.
    case brace
    case unknownTransform(String)
  }

  package var pieces: [Piece] = []

  package init(variable name: String) { pieces = [.variable(Variable(name: name))] }

  package init() {}

  package init(_ text: String) throws(Fault) {
    var literal = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "{" else {
        guard scalar != "}" else { throw .brace }
        literal.unicodeScalars.append(scalar)
        continue
      }
      guard let end = rest.firstIndex(of: "}") else { throw .brace }
      if !literal.isEmpty { pieces.append(.literal(literal)) }
      literal = ""
      pieces.append(.variable(try Self.variable(rest[..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !literal.isEmpty { pieces.append(.literal(literal)) }
  }

  private static func variable(_ text: Substring.UnicodeScalarView) throws(Fault) -> Variable {
    let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = identifier(parts[0]) else { throw .brace }
    guard parts.count == 2 else { return Variable(name: name) }
    let transform = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = transform.count == 2 ? identifier(transform[1]) : nil
    switch (String(transform[0]), transform.count, argument) {
    case ("base64", 1, _): return Variable(name: name, transform: .base64)
    case ("fromNow", 1, _): return Variable(name: name, transform: .fromNow)
    case ("crc32c", 1, _): return Variable(name: name, transform: .crc32c)
    case ("sealedBox", 2, let key?): return Variable(name: name, transform: .sealedBox(key: key))
    default: throw .unknownTransform(String(parts[1]))
    }
  }

  /// A letter, then letters and digits.
  private static func identifier(_ text: Substring.UnicodeScalarView) -> String? {
    guard let first = text.first, first.properties.isAlphabetic, text.allSatisfy({ $0.isASCII }) else { return nil }
    guard text.allSatisfy({ $0.properties.isAlphabetic || ("0"..."9").contains($0) }) else { return nil }
    return String(text)
  }

  /// The names of all variables, those of transforms included.
  package var variables: Set<String> {
    pieces.reduce(into: []) { names, piece in
      guard case .variable(let variable) = piece else { return }
      names.insert(variable.name)
      if case .sealedBox(let key) = variable.transform { names.insert(key) }
    }
  }

  /// The variable, if the template is nothing else.
  package var alone: Variable? {
    guard pieces.count == 1, case .variable(let variable) = pieces[0] else { return nil }
    return variable
  }
}
