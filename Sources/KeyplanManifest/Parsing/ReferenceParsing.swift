import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// A source: a reference as text, or one of the two kinds of mappings.
  mutating func source(_ tree: LayeredNode) -> RawSource {
    guard case .mapping(let written) = tree.content else {
      guard let text = secretText(tree, "A reference") else { return .unreadable }
      return reference(text)
    }
    if written.contains(where: { $0.name == "command" }) { return command(tree) }
    guard let fields = fields(tree, .reference), let from = required("from", of: fields, in: tree),
      let path = required("path", of: fields, in: tree), let scheme = text(from, "from"), let path = text(path, "path")
    else { return .unreadable }
    var selector: String?
    if let field = fields["field"] {
      guard let text = text(field, "field") else { return .unreadable }
      selector = text.value
    }
    return located(scheme.value, path.value, selector, at: tree.place)
  }

  /// Text in a place where a user may have written a secret by mistake: not quoted unless it is a valid reference.
  private mutating func secretText(_ tree: LayeredNode, _ what: String) -> Located<String>? {
    guard case .scalar(let scalar) = tree.content, case .string(let text) = scalar.resolved else {
      if !tree.isNull { notes.conceal(tree.place) }
      wrongType(tree, what, mustBe: "a string such as env://NAME, or a mapping")
      return nil
    }
    return Located(value: text, place: tree.place)
  }

  mutating func reference(_ text: Located<String>) -> RawSource {
    guard let mark = text.value.range(ofFirst: "://"), !text.value.hasPrefix("ref+"), !text.value.hasPrefix("$") else {
      return nearMiss(text)
    }
    let scheme = String(text.value[..<mark.lowerBound])
    guard isScheme(scheme) else { return nearMiss(text) }
    let rest = text.value[mark.upperBound...]
    let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#"))
    guard let location = Self.decoded(hash.map { rest[..<$0] } ?? rest),
      let selector = hash.map({ Self.decoded(rest[rest.index(after: $0)...]) }) ?? .some("")
    else {
      notes.conceal(text.place)
      return refuse(
        "A % in a reference must be followed by two hexadecimal digits, and the result must be text.",
        hint: "For a literal %, write %25.", at: text.place)
    }
    return located(scheme, location, hash == nil ? nil : selector, at: text.place)
  }

  private func isScheme(_ name: String) -> Bool {
    reader.backends.source(name) != nil || connections[name] != nil
  }

  /// Validates the parts of a reference according to its scheme.
  private mutating func located(
    _ name: String, _ location: String, _ selector: String?, at place: FileLocation
  ) -> RawSource {
    let declared = connections[name]
    let backend = declared == nil ? reader.backends.source(name) : declared?.backend
    if isInConnection, declared != nil || backend?.needsCredential == true {
      return refuse(
        "The credentials of a connection cannot come through another connection.",
        hint: "Use a variable, a file or a command: for example, env://NAME.", at: place)
    }
    guard let backend, let grammar = backend.reference, grammar.location != .command else {
      return refuseScheme(name, declared, at: place)
    }
    guard backend.isSupported, declared?.unsupported == nil else {
      guard !location.isEmpty else {
        return refuse("The path after \(name):// is missing.", hint: nil, at: place)
      }
      return .unsupported(declared?.unsupported ?? "\(backend.title) sources", place)
    }
    guard selectorFits(selector, name, grammar, at: place) else { return .unreadable }
    switch grammar.location {
    case .command: return .unreadable
    case .variable:
      guard VariableName.isValid(location) else {
        return refuse("\(name):// expects the name of a variable: letters, digits and _.", hint: nil, at: place)
      }
      guard !location.hasPrefix("KEYPLAN_") else {
        return refuse(
          "Variables that begin with KEYPLAN_ belong to keyplan and cannot be sources.", hint: nil, at: place)
      }
      return .supported(Reference(scheme: name, location: location, selector: selector, isLocal: grammar.isLocal))
    case .file:
      guard let path = path(location) else {
        return refuse("\(name):// expects the path of a file.", hint: Self.hint(grammar), at: place)
      }
      notes.questionVariable(in: path, at: place)
      return .supported(
        Reference(
          scheme: name, location: path.text, selector: selector, isFile: true, isLocal: grammar.isLocal,
          surface: path.surface))
    case .place(let what, let pattern):
      guard !location.isEmpty, pattern?.matches(Array(location.utf8)) ?? true else {
        return refuse("\(name):// expects \(what).", hint: Self.hint(grammar), at: place)
      }
      if let doubled = ManifestMessages.doubledPart(in: location, of: backend) {
        notes.report(.questionable, doubled.detail, hint: doubled.hint, at: place)
      }
      return served(name, location, selector, backend, grammar, at: place)
    case .fields(let fields):
      if let fault = fieldFault(in: location, fields) {
        return refuse("\(name):// \(fault)", hint: Self.hint(grammar), at: place)
      }
      return served(name, location, selector, backend, grammar, at: place)
    }
  }

  /// A reference to a place in a service, through the connection with this name or the backend's own.
  private mutating func served(
    _ name: String, _ location: String, _ selector: String?, _ backend: BackendDescription, _ grammar: ReferenceGrammar,
    at place: FileLocation
  ) -> RawSource {
    let isDeclared = connections[name] != nil
    let connection = isDeclared ? Identifier(name).flatMap { usable[$0] } : ownConnection(of: backend)
    guard connection != nil || backend.connection == nil else {
      return refuse("\(name):// needs a connection.", hint: Self.connectionHint(backend), at: place)
    }
    return .supported(
      Reference(
        scheme: name, location: location, selector: selector, isLocal: grammar.isLocal,
        surface: grammar.isOutside ? ExternalAccess(.path, "\(name)://\(location)") : connection?.surface))
  }

  /// The error in a location that consists of fields, as the end of a sentence.
  private func fieldFault(in location: String, _ fields: PlaceFields) -> String? {
    do throws(PlaceFields.Fault) {
      let values = try fields.values(at: location)
      for field in fields.positional + fields.named {
        guard let text = values[field.name], let form = Self.fault(in: text, of: field) else { continue }
        return "expects a value for \"\(field.name)\" that must \(form)."
      }
      return nil
    } catch {
      switch error {
      case .missing: return "expects \(fields.form)."
      case .unknown(let name):
        let known = fields.named.map(\.name)
        guard !known.isEmpty else { return "expects \(fields.form), without further fields." }
        return "does not have the field \(ManifestMessages.quoted(name, or: "with this name")); "
          + "its further fields are \(known.joined(separator: ", "))."
      case .duplicate(let name): return "has \"\(name)\" twice."
      }
    }
  }

  /// Reports a scheme that no backend reads. A connection whose type is unknown has been reported.
  private mutating func refuseScheme(
    _ name: String, _ declared: RawConnection?, at place: FileLocation
  ) -> RawSource {
    guard let declared else {
      let known = notes.suggests ? reader.backends.schemes + connections.keys.sorted() : []
      return refuse(
        "Unknown source \(ManifestMessages.quoted(name, or: "with this name")).",
        hint: ManifestMessages.didYouMean(notes.nearest(to: name, among: known)), at: place)
    }
    guard let backend = declared.backend else { return .unreadable }
    return refuse(
      "Secrets cannot be read from \(backend.title), the service of the connection \"\(name)\".", hint: nil, at: place)
  }

  private mutating func selectorFits(
    _ selector: String?, _ name: String, _ grammar: ReferenceGrammar, at place: FileLocation
  ) -> Bool {
    let problem: String? =
      switch (grammar.selector, selector) {
      case (.none, nil), (.field, nil): nil
      case (.none, .some):
        grammar.location == .file
          ? "\(name):// reads the whole file, so # is not allowed." : "\(name):// allows no #."
      case (.field, ""): "\(name):// expects the name of a field after #."
      case (_, nil), (_, ""): "\(name):// expects # and the name in the file."
      case (.name, _), (.field, _): nil
      case (.pointer, let text?): Self.nameFault(text, name)
      }
    guard let problem else { return true }
    var hint = Self.hint(grammar)
    if grammar.selector == .pointer, let selector, selector.utf8.first != UInt8(ascii: "/"),
      ManifestMessages.isHarmless(selector)
    {
      hint = "Write #\(NestedName.separatedKeys(selector).pointer)."
    }
    notes.report(.invalidReference, problem, hint: hint, at: place)
    return false
  }

  private static func hint(_ grammar: ReferenceGrammar) -> String {
    let isWhole = grammar.location == .file && grammar.selector == .none
    return "For example, \(grammar.example)\(isWhole ? " (write %23 for a # in the path)" : "")."
  }

  /// The error in a name in a file with nested values.
  private static func nameFault(_ text: String, _ scheme: String) -> String? {
    do throws(NestedName.Fault) {
      _ = try NestedName(text)
      return nil
    } catch {
      return switch error {
      case .slash: "\(scheme):// expects a JSON Pointer, which begins with /, or a name without / after #."
      case .escape: "Expected a JSON Pointer after #: it contains ~ only in ~0 and ~1."
      }
    }
  }

  /// Percent-decoding (RFC 3986, section 2.1). Nil for an incomplete escape, invalid UTF-8 and control characters.
  private static func decoded(_ text: Substring) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 < 0x20 || $0 == 0x7F }) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    if byte.isDigit { return byte - 0x30 }
    let letter = byte | 0x20
    return (0x61...0x66).contains(letter) ? letter - 0x61 + 10 : nil
  }

  mutating func refuse(_ detail: String, hint: String?, at place: FileLocation) -> RawSource {
    notes.report(.invalidReference, detail, hint: hint, at: place)
    return .unreadable
  }
}

extension BackendDescription {
  /// Whether a connection to it has its own credentials, so that connections could depend on each other in a cycle.
  fileprivate var needsCredential: Bool {
    connection?.fields.contains { $0.kind == .secret || $0.kind == .url } ?? false
  }
}
