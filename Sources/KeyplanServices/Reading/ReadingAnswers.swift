import KeyplanModel
import KeyplanYAML

extension DescriptionReader {
  /// A pointer, `@key`, or an object.
  package mutating func extract(_ written: Written?, _ scope: TemplateScope) -> Extract? {
    guard let written else { return nil }
    guard written.isObject else { return origin(written).map { Extract($0) } }
    guard let members = members(written, allowed: ["at", "in", "where", "decode", "crc32c"]) else { return nil }
    var extract = Extract(members["at"].map { origin($0) ?? .pointer(.root) } ?? .pointer(.root))
    if let list = members["in"] {
      let match = self.match(required("where", of: members), scope)
      extract.selection = pointer(list).map { Extract.Selection(list: $0, match: match) }
    } else if let match = members["where"] {
      report(.missingField("in"), at: match)
    }
    if let decode = members["decode"] {
      extract.decode = oneOrMore(decode).compactMap { choice($0, of: Extract.Decoding.self) }
    }
    extract.crc32c = pointer(members["crc32c"])
    return extract
  }

  private mutating func origin(_ written: Written) -> Extract.Origin? {
    guard case .string(let text) = written.scalar else {
      report(.wrongType(.extract), at: written)
      return nil
    }
    if text == "@key" { return .key }
    return pointer(text, at: written).map { .pointer($0) }
  }

  package mutating func extracts(_ written: Written?, _ scope: TemplateScope) -> [Named<Extract>] {
    guard let written, let members = members(written) else { return [] }
    return members.all.compactMap { name, value in extract(value, scope).map { Named(name, $0) } }
  }

  package mutating func match(_ written: Written?, _ scope: TemplateScope) -> Match {
    guard let written, let members = members(written) else { return Match() }
    var match = Match()
    for (name, value) in members.all {
      guard let pointer = pointer(name, at: value) else { continue }
      let wanted = oneOrMore(value)
      match.conditions.append(
        Match.Condition(pointer: pointer, wanted: wanted.compactMap { self.wanted($0, scope) }))
    }
    return match
  }

  private mutating func wanted(_ written: Written, _ scope: TemplateScope) -> Match.Wanted? {
    guard case .string = written.scalar else { return .literal(literal(written)) }
    return template(written, for: .condition, scope).map { .text($0) }
  }

  package mutating func exactMatch(_ written: Written?, _ scope: TemplateScope) -> ExactMatch? {
    guard let written, let members = members(written) else { return nil }
    var match = ExactMatch()
    for (name, value) in members.all {
      guard let pointer = pointer(name, at: value), let tree = tree(value, scope) else { continue }
      for secret in tree.variables.sorted() where variables.isSecret(secret) {
        report(.secretNotAllowed(secret), at: value)
      }
      match.conditions.append(ExactMatch.Condition(pointer: pointer, value: tree))
    }
    return match
  }

  /// - Parameter isOfRead: whether *missing* would be read from the answer.
  package mutating func rules(
    _ written: Written?, among classes: Set<AnswerClass> = AnswerClass.ofSecrets, isOfRead: Bool
  )
    -> [OutcomeRule]
  {
    guard let written else { return [] }
    return items(written).compactMap { item in
      guard let rule = rule(item, among: classes) else { return nil }
      if isOfRead, rule.then == .missing, !rule.hasEvidence { report(.missingWithoutEvidence, at: item) }
      return rule
    }
  }

  private mutating func rule(_ written: Written, among classes: Set<AnswerClass>) -> OutcomeRule? {
    let allowed = [
      "status", "header", "at", "text", "empty", "is", "has", "exists", "then", "say", "retry", "resetAt", "source",
    ]
    guard let members = members(written, allowed: allowed), let then = required("then", of: members) else { return nil }
    state(.outcome, at: written, from: members["source"])
    guard let answer = text(then).flatMap({ AnswerClass(rawValue: $0) }), classes.contains(answer) else {
      report(.notOneOf(classes.map(\.rawValue).sorted()), at: then)
      return nil
    }
    var rule = OutcomeRule(then: answer)
    if let status = members["status"] { rule.status = oneOrMore(status).compactMap { self.status($0) } }
    rule.evidence = evidence(members)
    rule.text = text(members["text"])
    rule.isEmpty = flag(members["empty"]) ?? false
    rule.say = text(members["say"])
    rule.retry = min(number(members["retry"]) ?? 0, 5)
    rule.resetAt = text(members["resetAt"])
    return rule
  }

  private mutating func status(_ written: Written) -> OutcomeRule.Status? {
    if case .int(let status) = written.scalar, (100...599).contains(status) { return .exactly(status) }
    if case .string(let text) = written.scalar, text.count == 3, text.hasSuffix("xx"),
      let digit = text.first?.wholeNumberValue, (1...5).contains(digit)
    {
      return .hundred(digit)
    }
    report(.wrongType(.number), at: written)
    return nil
  }

  private mutating func evidence(_ members: WrittenMembers) -> OutcomeRule.Evidence? {
    let test: OutcomeRule.Test
    if let equal = members["is"] {
      // An empty list is a value itself; another one is a choice.
      let literal = literal(equal)
      if case .array(let items) = literal, !items.isEmpty { test = .equals(items) } else { test = .equals([literal]) }
    } else if let part = members["has"] {
      test = .contains(text(part) ?? "")
    } else {
      test = .exists(flag(members["exists"]) ?? true)
    }
    if let header = text(members["header"]) {
      return OutcomeRule.Evidence(place: .header(header.lowercased()), test: test)
    }
    if let at = members["at"] {
      return pointer(at).map { OutcomeRule.Evidence(place: .pointer($0), test: test) }
    }
    for name in ["is", "has", "exists"] {
      if let test = members[name] { report(.missingField("at"), at: test) }
    }
    return nil
  }
}
