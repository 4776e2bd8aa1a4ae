package import KeyplanModel
import KeyplanYAML

/// Reads the document of a description and collects everything that is wrong with it.
package struct DescriptionReader {
  private(set) var faults: [DescriptionFault] = []
  /// The variables in addition to those of an operation.
  package var variables = DescribedVariables()
  /// The ids of the documents that statements can name.
  var documents: Set<String> = []
  /// In the order in which they were read.
  var statements: [SecretAPI.Statement] = []

  package mutating func report(_ kind: DescriptionFault.Kind, at written: Written) {
    let mark = written.node.start
    faults.append(DescriptionFault(kind: kind, path: written.path, line: mark.line, column: mark.column))
  }

  /// The members of an object. With `allowed`, others are reported.
  package mutating func members(_ written: Written, allowed: [String]? = nil) -> WrittenMembers? {
    guard case .mapping(let entries) = written.node.content else {
      report(.wrongType(.object), at: written)
      return nil
    }
    var members = WrittenMembers(of: written)
    for entry in entries {
      guard case .scalar(let key) = entry.key.content else {
        report(.wrongType(.text), at: Written(node: entry.key, path: written.path))
        continue
      }
      let value = written.below(key.text, entry.value)
      if let allowed, !allowed.contains(key.text) {
        report(.unknownField(key.text), at: Written(node: entry.key, path: value.path))
      } else if !members.add(key.text, value) {
        report(.duplicateField(key.text), at: Written(node: entry.key, path: value.path))
      }
    }
    return members
  }

  package mutating func items(_ written: Written) -> [Written] {
    guard case .sequence(let nodes) = written.node.content else {
      report(.wrongType(.list), at: written)
      return []
    }
    return nodes.enumerated().map { written.below(String($0), $1) }
  }

  /// The items of a list, or the value itself: many fields take both.
  package mutating func oneOrMore(_ written: Written) -> [Written] { written.isList ? items(written) : [written] }

  package mutating func required(_ name: String, of members: WrittenMembers) -> Written? {
    if members[name] == nil { report(.missingField(name), at: members.object) }
    return members[name]
  }

  package mutating func text(_ written: Written?) -> String? {
    guard let written else { return nil }
    guard case .string(let text) = written.scalar else {
      report(.wrongType(.text), at: written)
      return nil
    }
    return text
  }

  /// A string, or a number or boolean as written.
  package mutating func scalarText(_ written: Written?) -> String? {
    guard let written else { return nil }
    guard case .scalar(let scalar) = written.node.content, scalar.resolved != .null else {
      report(.wrongType(.scalar), at: written)
      return nil
    }
    return scalar.text
  }

  package mutating func texts(_ written: Written?) -> [String] {
    guard let written else { return [] }
    return items(written).compactMap { text($0) }
  }

  package mutating func flag(_ written: Written?) -> Bool? {
    guard let written else { return nil }
    guard case .bool(let flag) = written.scalar else {
      report(.wrongType(.boolean), at: written)
      return nil
    }
    return flag
  }

  /// A whole number, not negative.
  package mutating func number(_ written: Written?) -> Int? {
    guard let written else { return nil }
    guard case .int(let number) = written.scalar, number >= 0 else {
      report(.wrongType(.number), at: written)
      return nil
    }
    return number
  }

  package mutating func choice<Choice: RawRepresentable & CaseIterable>(_ written: Written?, of _: Choice.Type)
    -> Choice?
  where Choice.RawValue == String {
    guard let written, let text = text(written) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      report(.notOneOf(Choice.allCases.map(\.rawValue)), at: written)
      return nil
    }
    return choice
  }

  package mutating func pattern(_ written: Written?) -> FormatPattern? {
    guard let written, let text = text(written) else { return nil }
    do throws(FormatPattern.Problem) {
      return try FormatPattern(text)
    } catch {
      report(.pattern(error.fault), at: written)
      return nil
    }
  }

  package mutating func literal(_ written: Written) -> JSONLiteral {
    switch written.node.content {
    case .sequence: return .array(items(written).map { literal($0) })
    case .mapping:
      return .object((members(written)?.all ?? []).map { Named($0.name, literal($0.value)) })
    case .scalar(let scalar):
      return switch scalar.resolved {
      case .null: .null
      case .bool(let flag): .bool(flag)
      case .int(let number): .number(String(number))
      case .float(let number): .number(String(number))
      case .string(let text): .string(text)
      }
    }
  }

  package mutating func pointer(_ written: Written?) -> AnswerPointer? {
    guard let written, let text = text(written) else { return nil }
    return pointer(text, at: written)
  }

  package mutating func pointer(_ text: String, at written: Written) -> AnswerPointer? {
    do throws(AnswerPointer.Fault) {
      return try AnswerPointer(text)
    } catch {
      report(error == .index ? .pointerIndex : .pointerSyntax, at: written)
      return nil
    }
  }
}

/// The variables of a description and their permitted uses.
package struct DescribedVariables {
  package var fields: [String: SecretAPI.Field.Kind] = [:]
  /// The variables that logins yield: credentials.
  package var credentials: Set<String> = []
  /// The variables that lookups yield.
  package var found: Set<String> = []
  /// Values of an operation that are secrets.
  package static let secretValues: Set<String> = ["value", "before", "key"]

  package func isSecret(_ name: String) -> Bool {
    fields[name]?.isSecret == true || credentials.contains(name) || Self.secretValues.contains(name)
  }
}
