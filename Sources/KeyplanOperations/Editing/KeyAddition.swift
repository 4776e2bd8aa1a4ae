internal import KeyplanDocuments
internal import KeyplanModel
package import KeyplanReporting

/// A key to be declared.
package struct KeyAddition {
  package let name: String
  package let provider: String
  package var model: String?
  /// References in the manifest's form, in order of preference.
  package var sources: [String] = []
  /// A policy's name, a duration or a date.
  package var expires: String?
  package var issued: String?
  package var variable: String?
  package var followsOnce = false
  package var isProtected = false
  package var labels: [(name: String, text: String)] = []

  package init(name: String, provider: String) {
    self.name = name
    self.provider = provider
  }

  /// Appends the key to the others, in their style.
  package func make(in files: inout ManifestFiles) throws(Failure) {
    guard Identifier<Key>(whole: name) != nil else {
      throw Failure(
        .usage, "Invalid key name", Failure.nameRule("A key"),
        hint: "Such as openai-main.")
    }
    for file in files.all where file.text.declares(name) {
      throw Failure(
        .failed, "Key already exists", "\(file.shown(file.text.place(of: ["keys", name]))) declares \"\(name)\".",
        hint: "Choose another name, or edit that key by hand.")
    }
    let text = files.edited.text
    let policies = text.form(of: ["policies"])?.names ?? files.base.text.form(of: ["policies"])?.names ?? []
    let entry = isOneLine(text) ? line(policies) : lines(policies)
    try files.edit(\.edited) { text throws(DocumentError) in
      try text.insert(entry, into: ["keys"], after: ManifestOrder.before("keys"))
    }
    try ManifestTemplate.end(.keys, in: &files)
  }

  /// Whether the last key is written on one line, in brackets.
  private func isOneLine(_ text: YAMLText) -> Bool {
    guard let last = text.keyNames.last, case .mapping(_, let inBrackets) = text.form(of: ["keys", last]) else {
      return false
    }
    return inBrackets
  }

  /// The fields in the order of the documentation, quoted for brackets or block style.
  private func fields(_ policies: [String], inBrackets: Bool) -> [(name: String, value: String)] {
    func quoted(_ text: String) -> String { YAMLText.quoted(text, inBrackets: inBrackets) }
    var fields = [("provider", quoted(provider))]
    if let model { fields.append(("model", quoted(model))) }
    if let source = sources.first, sources.count == 1 { fields.append(("source", quoted(source))) }
    if sources.count > 1 {
      let list = sources.map { YAMLText.quoted($0, inBrackets: true) }.joined(separator: ", ")
      fields.append(("source", "[\(list)]"))
    }
    if let expires { fields.append(("expires", Self.expiry(expires, policies, quoted))) }
    if let issued { fields.append(("issued", Moment(issued) == nil ? quoted(issued) : issued)) }
    if let variable { fields.append(("variable", quoted(variable))) }
    if followsOnce { fields.append(("follow", "once")) }
    if isProtected { fields.append(("protected", "true")) }
    if !labels.isEmpty {
      let texts = labels.map { label in
        YAMLText.quoted(label.name, inBrackets: true) + ": " + YAMLText.quoted(label.text, inBrackets: true)
      }
      fields.append(("labels", "{ \(texts.joined(separator: ", ")) }"))
    }
    return fields
  }

  /// `quarterly`, `{ after: 90d }` or `{ on: 2027-03-01 }`; a policy named like a duration takes precedence.
  private static func expiry(_ text: String, _ policies: [String], _ quoted: (String) -> String) -> String {
    if !policies.contains(text), Interval(text) != nil { return "{ after: \(text) }" }
    if !policies.contains(text), Moment(text) != nil { return "{ on: \(text) }" }
    return quoted(text)
  }

  private func line(_ policies: [String]) -> String {
    let fields = fields(policies, inBrackets: true).map { "\($0.name): \($0.value)" }
    return "\(YAMLText.quoted(name)): { \(fields.joined(separator: ", ")) }"
  }

  private func lines(_ policies: [String]) -> String {
    var text = YAMLText.quoted(name) + ":"
    for field in fields(policies, inBrackets: false) {
      if field.name == "source", sources.count > 1 {
        text += "\n  source:" + sources.map { "\n    - " + YAMLText.quoted($0) }.joined()
      } else {
        text += "\n  \(field.name): \(field.value)"
      }
    }
    return text
  }
}
