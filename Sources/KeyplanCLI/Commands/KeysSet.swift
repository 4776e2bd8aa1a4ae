internal import ArgumentParser
internal import KeyplanFiles
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanSecrets

/// Sets the value of a key without a source.
struct KeysSet: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the value of a key without a source: from standard input, a file or a prompt, or generated.",
    discussion: """
      Targets that have the key's earlier value get the new one, if they are declared as they were applied; the rest is \
      listed. With --store-only, the next apply writes to targets. No option takes the value itself, because it would \
      appear in the process list and in the shell's history.

      For example:
        pass show openai | keyplan keys set openai-main --yes
        keyplan keys set webhook-secret --generate --format base64url
        keyplan keys set openai-main --from-file key.txt --issued 2026-10-01
        keyplan keys set claude --id apikey_01Rj2N8SVvo6BePZj99NhmiT
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  /// Accepted only to be rejected with keyplan's own error: the parser's would quote the value.
  @Argument(help: .hidden)
  var typed: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the value from this file. The line break at the end of a single line is dropped.", valueName: "file"),
    completion: .file())
  var fromFile: String?

  @OptionGroup var generating: GenerateOptions

  @Option(
    help: ArgumentHelp(
      "The provider's id of the key. keyplan revokes the key there once it is replaced. Requires `source: { mint: … }`.",
      valueName: "id"))
  var id: String?

  @Option(
    help: ArgumentHelp(
      "When the provider issued it, such as 2026-10-01 (default: now, or as the manifest says). Its age counts from then.",
      valueName: "date"))
  var issued: String?

  @OptionGroup var change: ChangeOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard typed.isEmpty, !name.contains("=") else { throw Failure.valueInArgument }
    let generated = try generating.generated()
    guard generated == nil || fromFile == nil else {
      throw Failure(
        .usage, "Conflicting options", "--generate and --from-file exclude each other.",
        hint: "Leave out one of them.")
    }
    guard generated == nil || id == nil else {
      throw Failure(
        .usage, "Conflicting options", "--generate and --id exclude each other: no provider knows a random value.",
        hint: "Leave out one of them.")
    }
    let date = try date(at: world.now)
    let workspace = try await Workspace(in: world, as: try checkout(on: terminal, world))
    let key = try declared(in: workspace.manifest)
    let named = try id.map { (id) throws(Failure) in [key: try workspace.issuedKey(id, of: key)] } ?? [:]
    let whole =
      if let generated {
        try await PlanRun(workspace, wanted: [key: generated])
      } else {
        try await PlanRun(
          workspace, given: [key: try typedValue(of: key, on: terminal, world, workspace.manifest)], issued: named,
          dates: date.map { [key: $0] } ?? [:])
      }
    return try await RecordEdit(setting: key, in: whole, change.extent).carryOut(
      change.confirmation, as: "keyplan keys set", on: terminal)
  }

  /// The date of issue that was typed; nil for none.
  private func date(at now: Moment) throws(Failure) -> Moment? {
    guard let issued else { return nil }
    guard !generating.generate else {
      throw Failure(
        .usage, "Conflicting options", "--generate and --issued exclude each other: a random value is made now.",
        hint: "Leave out one of them.")
    }
    guard let date = Moment(issued) else {
      throw Failure(
        .usage, "Invalid date", "--issued takes a date such as 2026-10-01, or a time such as 2026-10-01T08:00:00Z.",
        hint: "Correct it.")
    }
    guard date <= now + Moment.dateTolerance else {
      throw Failure(
        .usage, "Invalid date", "--issued is in the future, on \(date.date).",
        hint: "It is the date on which the provider issued the key.")
    }
    return date
  }

  /// Trusted at a terminal even if the value comes through a pipe instead of the keyboard; nil for the usual rule.
  private func checkout(on terminal: Terminal, _ world: World) throws(Failure) -> Checkout? {
    let isPiped = fromFile == nil && !generating.generate && !terminal.mayAsk
    guard isPiped, terminal.err.isTerminal, !world.isCI, world.variable("KEYPLAN_CHECKOUT") == nil else { return nil }
    return .trusted
  }

  private func declared(in manifest: Manifest) throws(Failure) -> Identifier<Key> {
    let (key, declaration) = try manifest.declaredKey(name)
    guard name == key.name || !declaration.isPart else {
      let parts = declaration.minting?.parts.map(\.key.name) ?? []
      throw Failure(
        .usage, "Key has several parts", "\"\(name)\" has a value for each part: \(parts.joined(separator: ", ")).",
        hint: "Set each of them: keyplan keys set \(key)")
    }
    guard declaration.generated == nil else {
      throw Failure(
        .failed, "Key has a source", "The value of \"\(key)\" is generated, as its source in the manifest says.",
        hint: "For a new value: keyplan keys rotate \(key). To set one by hand, remove the source from the manifest.")
    }
    if let parts = declaration.composition?.parts {
      let instead =
        parts.first { manifest.keys[$0].map { Renewal($0).way } == .set }
        .map { "Set one of these: keyplan keys set \($0)." } ?? Renewal(declaration).sentence(for: key)
      throw Failure(
        .failed, "Key has a source",
        "The value of \"\(key)\" is composed of \(parts.map(\.name).joined(separator: ", ")), as its source in the manifest says.",
        hint: instead + " To set this one by hand, remove the source from the manifest.")
    }
    guard declaration.sources.isEmpty else {
      throw Failure(
        .failed, "Key has a source", "\"\(key)\" takes its value from \(declaration.sources[0]).",
        hint: "Put the value there and apply, or remove the source from the manifest.")
    }
    return key
  }

  /// The origin of the value, for messages.
  private func origin(on terminal: Terminal) -> String {
    fromFile ?? (terminal.mayAsk ? "the terminal" : "standard input")
  }

  private func typedValue(
    of key: Identifier<Key>, on terminal: Terminal, _ world: World, _ manifest: Manifest
  ) throws(Failure) -> SecretBox {
    let value = try value(on: terminal, world)
    // The id of a key with several parts, such as one of AWS, can be one of them.
    if let id, manifest.keys[key]?.minting?.parts.count == 1, value.equals(SecretBox(Array(id.utf8))) {
      throw Failure.valueInArgument
    }
    guard let fault = value.withBytes({ ValueFault(in: $0) }) else { return value }
    throw Failure(fault, of: key, from: origin(on: terminal))
  }

  private func value(on terminal: Terminal, _ world: World) throws(Failure) -> SecretBox {
    if let fromFile {
      do throws(FileError) {
        return SecretBox(lineOrLines: try SafeFile.read(world.absolute(fromFile), limit: 65536))
      } catch {
        throw Failure(error, "Cannot read the value")
      }
    }
    guard !terminal.mayAsk else {
      guard let value = try Prompt.secret("Value of \(name): ") else {
        throw Failure(.failed, "No value", "No value was entered.", hint: "keyplan keys set \(name)")
      }
      return value
    }
    guard let value = StandardInput.secret() else {
      throw Failure(
        .failed, "Value is too large", "Standard input exceeds 64 KiB, the maximum size of a value.")
    }
    return value
  }
}

extension Failure {
  fileprivate static let valueInArgument = Failure(
    .usage, "Value in an argument", "The value is now in the process list and in the shell's history.",
    hint: "Replace it where it was issued, then pipe the new value in.")

  fileprivate init(_ fault: ValueFault, of key: Identifier<Key>, from origin: String) {
    let (summary, hint): (String, String?) =
      switch fault {
      case .empty, .blank: ("Empty value", "Pipe the value in, or name its file with --from-file.")
      case .tooLarge: ("Value is too large", nil)
      case .holdsNUL:
        ("Value contains NUL", "Variables and file targets cannot contain NUL. Encode a binary value as base64.")
      }
    self.init(.failed, summary, "\"\(key)\", from \(origin): \(fault.sentence)", hint: hint)
  }
}
