internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Sets the value of a key without a source.
struct KeysSet: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the value of a key without a source: from standard input, a file or a prompt, or a random one.",
    discussion: """
      No option takes the value itself, because it would appear in the process list and in the shell's history.

      For example:
        pass show openai | keyplan keys set openai-main --yes
        keyplan keys set webhook-secret --generate --format base64url
        keyplan keys set claude --id apikey_01Rj2N8SVvo6BePZj99NhmiT
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  /// Accepted only to be rejected with keyplan's own error: the parser's would quote the value.
  @Argument(help: .hidden)
  var typed: [String] = []

  @Option(
    help: ArgumentHelp("Read the value from this file; a trailing newline is dropped.", valueName: "file"),
    completion: .file())
  var fromFile: String?

  @OptionGroup var generating: GenerateOptions

  @Option(
    help: ArgumentHelp(
      "The provider's id of the key. keyplan revokes the key there once it is replaced. Requires `source: { mint: … }`.",
      valueName: "id"))
  var id: String?

  @Flag(name: [.customShort("y"), .long], help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard typed.isEmpty else { throw Failure.valueInArgument }
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
    let workspace = try await Workspace(in: world)
    let key = try declared(in: workspace.manifest)
    let issued = try id.map { (id) throws(Failure) in [key: try workspace.issuedKey(id, of: key)] } ?? [:]
    let whole =
      if let generated {
        try await PlanRun(workspace, wanted: [key: generated])
      } else {
        try await PlanRun(
          workspace, given: [key: try typedValue(of: key, on: terminal, world, workspace.manifest)], issued: issued)
      }
    let planning = whole.limited(to: .key(key))
    let approval = Approval(asks: !yes, hint: "Pass --yes.", command: "keyplan keys set")
    let status = try await approval.carryOut(planning, on: terminal)
    terminal.noteRest(whole.plan.steps.count - planning.plan.steps.count)
    return status.rawValue
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
    guard declaration.sources.isEmpty else {
      throw Failure(
        .failed, "Key has a source", "\"\(key)\" takes its value from \(declaration.sources[0]).",
        hint: "Put the value there and apply, or remove the source from the manifest.")
    }
    return key
  }

  /// Where the value comes from, for messages.
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
        var bytes = try SafeFile.read(world.absolute(fromFile), limit: 65536)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return SecretBox(bytes)
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
      case .empty: ("Empty value", "Pipe the value in, or name its file with --from-file.")
      case .tooLarge: ("Value is too large", nil)
      case .holdsNUL:
        ("Value contains NUL", "Variables and file targets cannot contain NUL. Encode a binary value as base64.")
      }
    self.init(.failed, summary, "\"\(key)\", from \(origin): \(fault.sentence)", hint: hint)
  }
}
