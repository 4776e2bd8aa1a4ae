import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

/// The value of a field that a backend describes.
enum RawFieldValue {
  case value(Connection.Value)
  /// The name of a method, and its fields by `jwt.role`.
  case method(String, [String: Connection.Value])
  /// The name of an unsupported feature, for a message.
  case unsupported(String)
}

extension ManifestParser {
  /// Nil, with a diagnostic, if the field does not accept the value.
  mutating func value(_ tree: LayeredNode, of field: BackendField) -> RawFieldValue? {
    switch field.kind {
    case .text, .name, .path, .label: fitting(tree, field).map { .value(.text($0)) }
    case .choice(let words): choice(tree, field.name, among: words).map { .value(.text($0.value)) }
    case .url: address(tree, field).map { .value(.text($0)) }
    case .urls: list(tree, field, of: { $0.address($1, field) }).map { .value(.list($0)) }
    case .bool: flag(tree, field.name).map { .value(.text($0 ? "true" : "false")) }
    case .int(let bounds): number(tree, field.name, in: bounds).map { .value(.text(String($0))) }
    case .list: list(tree, field, of: { $0.fitting($1, field) }).map { .value(.list($0)) }
    case .secret: secret(tree)
    case .identityToken: identityToken(tree, field.name)
    case .method(let methods): method(tree, field.name, among: methods)
    case .file: file(tree, field.name).map { .value(.file($0)) }
    case .command: arguments(tree, field.name).map { .value(.text(QuotedWord.joined($0))) }
    case .mode: nil
    }
  }

  private mutating func fitting(_ tree: LayeredNode, _ field: BackendField) -> String? {
    guard let text = text(tree, field.name) else { return nil }
    guard let form = Self.fault(in: text.value, of: field) else { return text.value }
    notes.report(.invalidValue, "\"\(field.name)\" must \(form).", at: text.place)
    return nil
  }

  /// The violated requirement, as the text after "must"; nil if there is none.
  static func fault(in text: String, of field: BackendField) -> String? {
    switch field.kind {
    case .name where !isName(text): "be a name: . and .. are not allowed as parts of it"
    case .path where !isPath(text): "consist of names separated by /, without . and .."
    case .label where !isLabel(text): "consist of at most 63 letters, digits and -"
    default: field.pattern.flatMap { $0.matches(Array(text.utf8)) ? nil : "match \($0.text)" }
    }
  }

  /// Whether it has no empty, `.` or `..` segment. Backslashes count as separators, because some proxies decode `%5C` and `%2F`.
  private static func isName(_ text: String) -> Bool {
    text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
      .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
  }

  private static func isPath(_ text: String) -> Bool { isName(text) && !text.utf8.contains(UInt8(ascii: "\\")) }

  private static func isLabel(_ text: String) -> Bool {
    text.utf8.count <= 63 && text.utf8.first != UInt8(ascii: "-") && text.utf8.last != UInt8(ascii: "-")
      && text.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  mutating func number(_ tree: LayeredNode, _ field: String, in bounds: ClosedRange<Int>) -> Int? {
    guard case .scalar(let scalar) = tree.content, case .int(let number) = scalar.resolved else {
      wrongType(tree, "\"\(field)\"", mustBe: "a whole number")
      return nil
    }
    if bounds.contains(number) { return number }
    notes.report(
      .invalidValue, "\"\(field)\" must be between \(bounds.lowerBound) and \(bounds.upperBound).", at: tree.place)
    return nil
  }

  private mutating func address(_ tree: LayeredNode, _ field: BackendField) -> String? {
    url(tree, field.name).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  private mutating func list(
    _ tree: LayeredNode, _ field: BackendField, of item: (inout Self, LayeredNode) -> String?
  ) -> [String]? {
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"\(field.name)\"", mustBe: "a list of strings")
      return nil
    }
    let texts = items.compactMap { item(&self, $0) }
    return texts.count == items.count ? texts : nil
  }

  mutating func secret(_ tree: LayeredNode) -> RawFieldValue? {
    switch source(tree) {
    case .supported(let reference): .value(.secret(reference))
    case .unsupported(let what, _): .unsupported(what)
    case .unreadable: nil
    }
  }

  mutating func file(_ tree: LayeredNode, _ field: String) -> Reference? {
    guard let text = text(tree, field) else { return nil }
    guard let path = path(text.value) else {
      notes.report(.invalidValue, "\"\(field)\" is not the path of a file.", at: text.place)
      return nil
    }
    return Reference(scheme: "file", location: path.text, isFile: true, isLocal: true, surface: path.surface)
  }

  /// An `https://` address, or `http://` for this machine. Credentials in it are rejected.
  mutating func url(_ tree: LayeredNode, _ field: String) -> String? {
    guard let text = text(tree, field) else { return nil }
    let isSecure = text.value.hasPrefix("https://")
    let authority = text.value.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      notes.conceal(text.place)
      notes.report(
        .secretInManifest, "The address contains credentials.",
        hint: "Write the address without them. A credential belongs in a field that takes a reference.", at: text.place)
      return nil
    }
    let isLocal = ["127.0.0.1", "localhost", "[::1]"].contains { host in
      authority == host || (authority.hasPrefix(host) && authority.dropFirst(host.count).first == ":")
    }
    // Programs parse other characters differently, so another host could receive the credential.
    let isPlain = authority.utf8.allSatisfy { $0.isAlphanumeric || "-._:[]".utf8.contains($0) }
    if authority.isEmpty || !isPlain || !(isSecure || (isLocal && text.value.hasPrefix("http://"))) {
      notes.report(
        .invalidValue, "\"\(field)\" must be an https:// address; http:// is allowed for this machine only.",
        hint: "For example, https://vault.example.com:8200.", at: text.place)
      return nil
    }
    return text.value
  }
}
