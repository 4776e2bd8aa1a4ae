import KeyplanJSON
import KeyplanYAML

/// The use of a template, which decides what may be in it.
package enum TemplateUse {
  /// A path, or the beginning of an address.
  case address
  case query, header, form, json, condition
  /// The query of a check, which may carry the key that is checked.
  case keyQuery
}

/// The variables that a template can use: those of an operation, and those of the description that are known by then.
package struct TemplateScope {
  package var names: Set<String>

  package func with(_ more: Set<String>) -> TemplateScope { TemplateScope(names: names.union(more)) }
}

extension DescriptionReader {
  package mutating func template(_ written: Written?, for use: TemplateUse, _ scope: TemplateScope) -> Template? {
    guard let written, let text = use == .address || use == .header ? text(written) : scalarText(written) else {
      return nil
    }
    do throws(Template.Fault) {
      let template = try Template(text)
      check(template, for: use, scope, at: written)
      return template
    } catch {
      switch error {
      case .brace: report(.brace, at: written)
      case .unknownTransform(let name): report(.unknownTransform(name), at: written)
      }
      return nil
    }
  }

  private mutating func check(_ template: Template, for use: TemplateUse, _ scope: TemplateScope, at written: Written) {
    for name in template.variables.sorted() where !scope.names.contains(name) {
      report(.unknownVariable(name), at: written)
    }
    for piece in template.pieces {
      switch piece {
      case .variable(let variable):
        let mayBeSecret = [.header, .form, .json, .keyQuery].contains(use)
        if !mayBeSecret, variables.isSecret(variable.name) { report(.secretNotAllowed(variable.name), at: written) }
        if variable.transform == .fromNow, variables.fields[variable.name] != .int {
          report(.wrongType(.number), at: written)
        }
        let isWhole = use == .json && template.alone?.transform == nil && template.pieces.count == 1
        if !isWhole, variables.fields[variable.name] == .json { report(.jsonBesideText(variable.name), at: written) }
      case .literal(let text):
        switch use {
        case .address:
          if !text.utf8.allSatisfy(Self.isOfAddress) { report(.invalidText(text), at: written) }
        case .header:
          if !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { report(.invalidText(text), at: written) }
        case .query, .keyQuery, .form, .json, .condition:
          // A service that parses the text again would parse the variable's value with it.
          if template.pieces.count > 1, !text.utf8.allSatisfy(Self.isPlain) {
            report(.textBesideVariable(text), at: written)
          }
        }
      }
    }
  }

  private static func isOfAddress(_ byte: UInt8) -> Bool {
    isPlain(byte) && byte != 0x20 || "!$'()*;".utf8.contains(byte)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: " ._~:/@+=,-".utf8.contains(byte)
    }
  }

  /// The beginning of an address: a field of type `url`, or `https://` and a host of literal text and labels.
  package mutating func base(_ written: Written?, _ scope: TemplateScope) -> Template? {
    guard let written, let template = template(written, for: .address, scope) else { return nil }
    if !isBase(template.pieces[...]) { report(.host, at: written) }
    return template
  }

  private func isBase(_ pieces: ArraySlice<Template.Piece>) -> Bool {
    switch pieces.first {
    case .variable(let variable):
      guard variables.fields[variable.name] == .url, variable.transform == nil else { return false }
      return beginsPath(pieces.dropFirst())
    case .literal(let text):
      guard text.hasPrefix("https://") else { return false }
      var host = text.dropFirst("https://".count)
      for piece in pieces.dropFirst() {
        guard !host.contains("/") else { return true }
        switch piece {
        case .variable(let variable):
          guard variables.fields[variable.name] == .label, variable.transform == nil else { return false }
        case .literal(let text): host = text[...]
        }
      }
      return true
    case nil: return false
    }
  }

  /// Whether nothing can continue the host's name: the rest is empty, or begins with a slash.
  private func beginsPath(_ pieces: ArraySlice<Template.Piece>) -> Bool {
    switch pieces.first {
    case nil: true
    case .literal(let text): text.hasPrefix("/")
    // A place's own path is checked where it is defined.
    case .variable(let variable): variable.name == "place" && variable.transform == nil
    }
  }

  /// A path to append to the beginning of an address.
  package mutating func path(_ written: Written?, _ scope: TemplateScope) -> Template? {
    guard let written, let template = template(written, for: .address, scope) else { return nil }
    if !beginsPath(template.pieces[...]) { report(.path, at: written) }
    return template
  }

  package mutating func named(_ written: Written?, for use: TemplateUse, _ scope: TemplateScope) -> [Named<Template>] {
    guard let written, let members = members(written) else { return [] }
    return members.all.compactMap { name, value in
      if use == .header, !Self.isHeaderName(name) { report(.invalidText(name), at: value) }
      return template(value, for: use, scope).map { Named(use == .header ? name.lowercased() : name, $0) }
    }
  }

  /// Headers that frame the message or concern the connection are the client's.
  private static let ownHeaders: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer", "upgrade", "user-agent",
  ]

  private static func isHeaderName(_ name: String) -> Bool {
    let isToken = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
    }
    return isToken && !name.isEmpty && !ownHeaders.contains(name.lowercased()) && !name.lowercased().hasPrefix("proxy-")
  }

  package mutating func tree(_ written: Written, _ scope: TemplateScope) -> BodyTree? {
    switch written.node.content {
    case .scalar:
      guard case .string = written.scalar else { return .literal(literal(written)) }
      return template(written, for: .json, scope).map { .text($0) }
    case .sequence:
      return .array(items(written).compactMap { tree($0, scope) })
    case .mapping:
      guard let members = members(written) else { return nil }
      if let literal = members["$literal"] { return .literal(self.literal(literal)) }
      if let set = members["$each"] { return each(set, of: written, scope) }
      if let set = members["$map"] { return map(set, of: written, scope) }
      return .object(
        members.all.compactMap { name, value in
          if name.hasPrefix("$") { report(.unknownField(name), at: value) }
          return tree(value, scope).map { Named(name, $0) }
        })
    }
  }

  private mutating func each(_ set: Written, of written: Written, _ scope: TemplateScope) -> BodyTree? {
    guard let members = members(written, allowed: ["$each", "item", "removed"]),
      let set = choice(set, of: BodyTree.ItemSet.self), let item = required("item", of: members)
    else { return nil }
    let inner = scope.with(Self.variables(of: set))
    let removed = members["removed"].flatMap { tree($0, inner) }
    return tree(item, inner).map { .each(set, item: $0, removed: removed) }
  }

  private mutating func map(_ set: Written, of written: Written, _ scope: TemplateScope) -> BodyTree? {
    guard let members = members(written, allowed: ["$map", "key", "value", "removed"]),
      let set = choice(set, of: BodyTree.ItemSet.self), let value = required("value", of: members)
    else { return nil }
    let inner = scope.with(Self.variables(of: set))
    let removed = members["removed"].flatMap { tree($0, inner) }
    let key = members["key"].map { template($0, for: .json, inner) } ?? (try? Template("{name}"))
    guard let value = tree(value, inner), let key else { return nil }
    return .map(set, key: key, value: value, removed: removed)
  }

  private static func variables(of set: BodyTree.ItemSet) -> Set<String> {
    set == .names ? ["name"] : ["name", "value", "id", "before", "present"]
  }
}
