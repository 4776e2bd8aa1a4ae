package import KeyplanModel
internal import KeyplanPlanning

extension TargetIssue {
  func message(_ id: Identifier<Target>, renewal: Renewal? = nil) -> Message {
    switch self {
    case .failed(let failure, let destination):
      Message(
        "target.\(id) (\(destination.words)): \(failure.reason) \(Self.unchanged)", hint: failure.advice)
    case .notAllowed(let destination):
      Message(
        "target.\(id): \(destination.words) is no longer allowed. \(Self.unchanged)",
        hint:
          "Declare the target there again, to allow it, or leave what it has there: keyplan records forget target.\(id)"
      )
    case .replaced(let destination):
      Message(
        "target.\(id): another place now has the name \(destination.words) that keyplan wrote to. \(Self.unchanged)",
        hint: "If that is intended: keyplan records forget target.\(id), then plan again.")
    case .blocked(let blocker):
      Message("target.\(id): \(blocker.reason) \(Self.unchanged)", hint: blocker.hint)
    case .namesBlocked(let names, let isWhole):
      Message(
        "target.\(id): \(WriteBlockers.words(names)) \(isWhole ? Self.unchanged : Self.othersWritten)",
        hint: WriteBlockers.hint(names))
    case .blockedHere(let blocker):
      Message("target.\(id): \(blocker.reason) An apply from here cannot change it.", hint: blocker.hint)
    case .retiredKey(let key):
      Message(
        "target.\(id) names \"\(key)\", which is retired. It is not written there.", hint: renewal?.sentence(for: key))
    case .revokedKey(let key):
      Message(
        "target.\(id) names \"\(key)\", which is revoked. It is not written there.", hint: renewal?.sentence(for: key))
    case .writeOnly(let destination):
      destination.isNeverRead
        ? Message(
          "target.\(id) has no `read`: what \(destination.words) holds cannot be checked, and changes there cannot be "
            + "detected.")
        : Message(
          "\(destination.words) shows which names it has, but nothing that changes with their values: changes there "
            + "cannot be detected.")
    case .notCompared(let destination):
      Message(
        destination.surface?.kind == .command
          ? "The programs of target.\(id) are in the work tree, which is not trusted: its values were not compared with the "
            + "records."
          : destination.surface?.kind == .host
            ? "No value was written to \(destination.words) before, so its content is compared during apply only."
            : "\(destination.words) may come from git, and this checkout is not trusted: its content was not compared with the "
              + "records.",
        hint: destination.surface?.kind == .host ? nil : "A trusted checkout compares it.")
    case .taken(let destination, let names, let canBeRead):
      Message(
        canBeRead
          ? "\(destination.words) already has other values under \(Self.list(names)), which keyplan did not write."
          : destination.isNeverRead
            ? "\(destination.words) may already have values under \(Self.list(names)), which keyplan did not write. "
              + "Nothing can check that."
            : "\(destination.words) already has values under \(Self.list(names)). They cannot be read, and keyplan did "
              + "not write them.",
        hint: "Set `takeOver: true` on target.\(id), or use --allow-overwrite for this once.")
    case .inPipeline(let destination):
      Message(
        "\(destination.words) configures a CI service: what is written there can change what the service runs.",
        hint:
          "If that is intended: --allow-overwrite. Most jobs get secrets from the CI service's own settings instead.")
    case .exposed(let destination, let mode):
      Message(
        mode.exposure(of: destination.location).detail,
        hint: "\(mode.exposure(of: destination.location).hint), or if that is intended, declare it: mode: \"\(mode)\".")
    case .stillHeld(let destination, let names, let next):
      Message("\(destination.words) still contains \(Self.list(names)) (not modified).", hint: next.words)
    case .pending(let destination, let names, let reason):
      Message(
        "target.\(id): \(destination.words) keeps an earlier value under \(Self.list(names)). \(reason.words)",
        hint: reason.hint(id))
    case .leavesWithout(let destination, let names):
      Message(
        "target.\(id): no usable value is left for \(Self.list(names)) at \(destination.words). The revoked one stays there.",
        hint: "To remove it: keyplan apply --only target.\(id), or this command again with --leave-without")
    }
  }

  private static let unchanged = "Nothing is changed there."
  private static let othersWritten = "The target's other names are not affected."
  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension TargetIssue.Reason {
  fileprivate var words: String {
    switch self {
    case .untrusted: "This checkout is not trusted."
    case .notAllowed: "It requires a permission that an apply grants."
    case .edited: "The manifest declares it differently since the last apply."
    case .failed(let failure): failure.reason
    case .blocked(let blocker): blocker.reason
    case .refused: "A plan has an error there."
    }
  }

  fileprivate func hint(_ id: Identifier<Target>) -> String {
    let apply = "keyplan apply --only target.\(id)"
    return switch self {
    case .untrusted: "Run \(apply) in a trusted checkout, or pass --store-only if another job writes the targets."
    case .notAllowed, .edited, .refused: "Review and apply it: \(apply)"
    case .failed, .blocked: "Once this is fixed: \(apply)"
    }
  }
}

extension TargetIssue.Next {
  fileprivate var words: String? {
    switch self {
    case .removed: "The next apply removes it there, because nothing declares it."
    case .compared: "The next apply compares it again, because the manifest declares it."
    case .nothing: nil
    }
  }
}

extension EntryIssue {
  func message(_ name: String, at location: String) -> Message {
    switch self {
    case .changedByOthers:
      Message(
        "\(name) at \(location) is no longer declared, and has a value that keyplan did not write. It is left in place.",
        hint: "Remove it there if nothing needs it.")
    case .missing: Message("\(location) has nothing under \(name).", hint: Self.rewrite)
    case .notText: Message("The value of \(name) at \(location) is not text.", hint: Self.rewrite)
    case .revoked(let revocation):
      Message(
        "\(name) at \(location) has a value that was \(revocation.words).",
        hint: "Set a new value there, or: keyplan apply")
    case .noMarks:
      Message(
        "\(location) shows neither values nor marks.",
        hint: "Set the value at the key's source, or with keyplan keys set.")
    case .composed(let id, let parts):
      Message(
        "\(name) at \(location) has the value of \"\(id)\", which each apply makes of "
          + "\(Spans.quoted(parts)). No other value can be accepted for it.",
        hint: "To write the recorded value: keyplan apply. To change it, change one of these, or the template.")
    case .partsApart(let parts):
      Message(
        "\(name) at \(location) is a part of a key, and its parts are accepted together. Not changed there, or not "
          + "readable: \(parts.map(\.name).joined(separator: ", ")).",
        hint: "Put all parts of the other key there. Or keep the recorded one: keyplan apply")
    case .partsMixed(let parts):
      Message(
        "\(name) at \(location) is a part of a key, and the values at the targets are parts of different keys: "
          + "\(parts.map(\.name).joined(separator: ", ")).",
        hint: "Put all parts of one key there. Or keep the recorded one: keyplan apply")
    case .failed(let failure, _): Message(failure.reason, hint: failure.advice)
    case .untrusted:
      Message(
        "\(location) may come from git, and this checkout is not trusted.", hint: "Run this in a trusted checkout.")
    case .notAllowed:
      Message("\(location) is not allowed yet.", hint: Message.allow)
    }
  }

  private static let rewrite = "keyplan apply writes the recorded value there again."
}

extension WriteBlockers {
  /// The reasons that these names could not be set and removed together: a sentence for each. Nil if they can.
  package func reason(setting set: some Sequence<String>, removing removed: some Sequence<String>) -> String? {
    let names = blocked(setting: set, removing: removed)
    return names.isEmpty ? nil : Self.words(names)
  }

  fileprivate static func hint(_ groups: [Names]) -> String? {
    if let hint = groups.lazy.compactMap({ $0.hint ?? ($0.isAboutContent ? nil : $0.failure?.advice) }).first {
      return hint
    }
    if groups.contains(where: \.isAboutContent) {
      return "Edit the file so that these names hold plain strings, or remove them from the target."
    }
    return groups.contains { $0.failure == nil } ? "Use other names in the target, or remove these." : nil
  }

  fileprivate static func words(_ groups: [Names]) -> String {
    groups.map { "\(Spans.list($0.names, showing: 3))\($0.isAboutContent ? " at" : ":") \($0.reason)" }
      .joined(separator: " ")
  }
}

extension FileMode {
  /// The message about a file that is open to other users.
  package func exposure(of location: String) -> (detail: String, hint: String) {
    (
      "\(location) has mode \(self), so other users have access to its values.",
      "chmod go= -- \(ShellWord.quoted(location))"
    )
  }
}
