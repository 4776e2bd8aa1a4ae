package import KeyplanJSON
package import KeyplanSecrets

/// One element of the sets that `$each` and `$map` iterate over.
package struct SetItem: Sendable {
  package let name: String
  /// The variables of the element.
  package var bindings = Bindings()
  package var isRemoved = false
  /// The entry as it was read, if it is kept.
  package var kept: KeptEntry?

  package init(name: String) {
    self.name = name
    bindings["name"] = .text(name)
  }
}

/// An entry in the answer that it was read from.
package struct KeptEntry: Sendable {
  package let answer: JSONAnswer
  package let node: JSONNode
}

package typealias ItemSets = [BodyTree.ItemSet: [SetItem]]

extension BodyTree {
  /// The JSON text. Members and elements whose variables have no value are left out.
  package func json(_ bindings: Bindings, _ sets: ItemSets) throws(RequestFault) -> SecretBox {
    var writer = SecretWriter()
    try write(bindings, sets, to: &writer)
    return writer.finished()
  }

  private func isAbsent(_ bindings: Bindings) -> Bool {
    guard case .text(let template) = self else { return false }
    return template.variables.contains { bindings[$0] == nil }
  }

  private func write(_ bindings: Bindings, _ sets: ItemSets, to writer: inout SecretWriter) throws(RequestFault) {
    switch self {
    case .literal(let literal): literal.write(to: &writer)
    case .text(let template): try Self.write(template, bindings, to: &writer)
    case .array(let items):
      var list = CommaList(opening: "[")
      for item in items where !item.isAbsent(bindings) {
        list.next(&writer)
        try item.write(bindings, sets, to: &writer)
      }
      list.close("]", &writer)
    case .object(let members):
      var list = CommaList(opening: "{")
      for member in members where !member.value.isAbsent(bindings) {
        list.next(&writer)
        JSONText.write(member.name, to: &writer)
        writer.append(UInt8(ascii: ":"))
        try member.value.write(bindings, sets, to: &writer)
      }
      list.close("}", &writer)
    case .each(let set, let item, let removed):
      var list = CommaList(opening: "[")
      for element in sets[set] ?? [] {
        guard let tree = element.isRemoved ? removed : item else { continue }
        let inner = bindings.merging(element.bindings)
        guard !tree.isAbsent(inner) else { continue }
        list.next(&writer)
        try tree.write(inner, sets, to: &writer)
      }
      list.close("]", &writer)
    case .map(let set, let key, let value, let removed):
      try Self.write(sets[set] ?? [], key, value, removed, bindings, sets, to: &writer)
    }
  }

  private static func write(
    _ elements: [SetItem], _ key: Template, _ value: BodyTree, _ removed: BodyTree?, _ bindings: Bindings,
    _ sets: ItemSets, to writer: inout SecretWriter
  ) throws(RequestFault) {
    var list = CommaList(opening: "{")
    var names: Set<String> = []
    for element in elements {
      guard let tree = element.isRemoved ? removed : value else { continue }
      let inner = bindings.merging(element.bindings)
      var name = element.name
      if element.kept == nil, case .open(let text)? = try key.text(inner) { name = text }
      guard names.insert(name).inserted else { throw .duplicateName }
      list.next(&writer)
      JSONText.write(name, to: &writer)
      writer.append(UInt8(ascii: ":"))
      if let kept = element.kept {
        kept.answer.write(kept.node, to: &writer)
      } else {
        try tree.write(inner, sets, to: &writer)
      }
    }
    list.close("}", &writer)
  }

  /// A variable that is alone keeps its type.
  private static func write(
    _ template: Template, _ bindings: Bindings, to writer: inout SecretWriter
  ) throws(RequestFault) {
    if let variable = template.alone, variable.transform == nil {
      switch bindings[variable.name] {
      case .number(let number): return writer.append(number)
      case .bool(let flag): return writer.append(flag ? "true" : "false")
      case .list(let texts): return JSONLiteral.array(texts.map { .string($0) }).write(to: &writer)
      case .json(let value): return value.write(to: &writer)
      default: break
      }
    }
    guard let text = try template.text(bindings) else { return writer.append("null") }
    switch text {
    case .open(let text): JSONText.write(text, to: &writer)
    case .secret(let secret): secret.withBytes { JSONText.write($0, to: &writer) }
    }
  }

  /// The value as a literal, where no variable is a secret.
  package func literal(_ bindings: Bindings) -> JSONLiteral? {
    switch self {
    case .literal(let literal): return literal
    case .array(let items): return .array(items.compactMap { $0.literal(bindings) })
    case .object(let members):
      return .object(members.compactMap { member in member.value.literal(bindings).map { Named(member.name, $0) } })
    case .each, .map: return nil
    case .text(let template):
      if let variable = template.alone, variable.transform == nil {
        switch bindings[variable.name] {
        case .number(let number): return .number(number)
        case .bool(let flag): return .bool(flag)
        case .list(let texts): return .array(texts.map { .string($0) })
        case .json(let value): return value
        default: break
        }
      }
      guard let expanded = try? template.text(bindings), case .open(let text) = expanded else { return nil }
      return .string(text)
    }
  }
}

extension JSONLiteral {
  package func write(to writer: inout SecretWriter) {
    switch self {
    case .null: writer.append("null")
    case .bool(let flag): writer.append(flag ? "true" : "false")
    case .number(let text): writer.append(text)
    case .string(let text): JSONText.write(text, to: &writer)
    case .array(let items):
      var list = CommaList(opening: "[")
      for item in items {
        list.next(&writer)
        item.write(to: &writer)
      }
      list.close("]", &writer)
    case .object(let members):
      var list = CommaList(opening: "{")
      for member in members {
        list.next(&writer)
        JSONText.write(member.name, to: &writer)
        writer.append(UInt8(ascii: ":"))
        member.value.write(to: &writer)
      }
      list.close("}", &writer)
    }
  }
}

/// The brackets and commas of an array or an object.
private struct CommaList {
  private var lead: String

  init(opening bracket: String) { lead = bracket }

  mutating func next(_ writer: inout SecretWriter) {
    writer.append(lead)
    lead = ","
  }

  mutating func close(_ bracket: String, _ writer: inout SecretWriter) {
    if lead != "," { writer.append(lead) }
    writer.append(bracket)
  }
}
