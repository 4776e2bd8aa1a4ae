package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// `op://VAULT/ITEM/[SECTION/]FIELD`: a field of an item of 1Password, read by its program `op`.
package struct OnePasswordSource: SecretSource {
  package static let backend = BackendDescription(
    "op", title: "1Password", help: "Fields of 1Password items, read by 1Password's program op.", isPreview: true,
    reference: ReferenceGrammar(
      .place(
        what:
          "VAULT/ITEM/FIELD or VAULT/ITEM/SECTION/FIELD, each by its ID or by a name of letters, digits, spaces, ., - "
          + "and _", pattern: pattern),
      example: "op://my-vault/my-item/password", isLocal: false, isOutside: true,
      help:
        "A secret reference of 1Password. All references of a run are read by one `op inject`; it signs in with "
        + "OP_CONNECT_HOST and OP_CONNECT_TOKEN, with OP_SERVICE_ACCOUNT_TOKEN, or as the user. Each reference requires a "
        + "permission of its own."))
  // Without $ and braces, which op would expand.
  private static let part = #"[\w .-]{1,128}"#
  private static let pattern = try? FormatPattern(
    part + "/" + part + "/" + part + "(?:/" + part + #")?(?:\?attribute=[\w-]{1,32}|\?ssh-format=[\w-]{1,32})?"#)

  /// The environment variables that a call gets, in addition to those of every program.
  private static let variables = [
    "OP_SERVICE_ACCOUNT_TOKEN", "OP_CONNECT_HOST", "OP_CONNECT_TOKEN", "OP_ACCOUNT", "OP_CONFIG_DIR", "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
  ]
  private let context: SourceContext
  private let programs: any ProgramRunning

  package init(_ context: SourceContext) { self.init(context, ProgramRunner(context)) }

  init(_ context: SourceContext, _ programs: any ProgramRunning) {
    self.context = context
    self.programs = programs
  }

  package var backend: BackendDescription { Self.backend }

  /// Runs `op` once for all references. `op inject` fails if one of them does: then it is run once for each.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    guard !references.isEmpty else { return [] }
    var locations: [String] = []
    for reference in references where !locations.contains(reference.location) { locations.append(reference.location) }
    let answers = await read(locations)
    return references.map { answers[$0.location] ?? .unreadable("op returned no value for this reference.") }
  }

  private func read(_ locations: [String]) async -> [String: SourceAnswer] {
    let faulty = locations.filter { Self.pattern?.matches(Array($0.utf8)) != true }
    var answers = Dictionary(
      uniqueKeysWithValues: faulty.map { ($0, SourceAnswer.unreadable("This is not a secret reference of op.")) })
    let usable = locations.filter { answers[$0] == nil }
    guard !usable.isEmpty else { return answers }
    switch await inject(usable) {
    case .success(let values): return answers.merging(values) { $1 }
    case .failure(let failure):
      if failure.concernsAll { return answers.merging(usable.map { ($0, failure.answer) }) { $1 } }
    }
    for (index, location) in usable.enumerated() {
      switch await readOne(location) {
      case .success(let value): answers[location] = value
      case .failure(let failure):
        answers[location] = failure.answer
        guard failure.concernsAll else { continue }
        for rest in usable[index...] { answers[rest] = failure.answer }
        return answers
      }
    }
    return answers
  }

  private func inject(_ locations: [String]) async -> Result<[String: SourceAnswer], OnePasswordFailure> {
    // Unguessable, so that no value can contain it.
    var random = SystemRandomNumberGenerator()
    let separator = "keyplan-" + (0..<4).map { _ in String(random.next() as UInt64, radix: 16) }.joined(separator: "-")
    var template = separator
    for location in locations { template += "{{ op://\(location) }}\(separator)" }
    var call = call(["op", "inject"])
    call.input = SecretBox(Array(template.utf8))
    return await run(call).flatMap { output in
      let parts = output.parts(between: Array(separator.utf8))
      guard parts.count == locations.count else { return .failure(.unexpected) }
      return .success(
        Dictionary(uniqueKeysWithValues: zip(locations, parts.map { SourceAnswer($0) })))
    }
  }

  private func readOne(_ location: String) async -> Result<SourceAnswer, OnePasswordFailure> {
    await run(call(["op", "read", "-n", "op://\(location)"])).map { SourceAnswer($0) }
  }

  private func run(_ call: ProgramCall) async -> Result<SecretBox, OnePasswordFailure> {
    switch await programs.run(call) {
    case .failed(let reason): .failure(.notRun(reason))
    case .ended(0, let output, _): .success(output)
    case .ended(let code, _, let message): .failure(OnePasswordFailure(message, code: code))
    }
  }

  private func call(_ arguments: [String]) -> ProgramCall {
    var call = ProgramCall(arguments)
    for (name, value) in context.variables where Self.variables.contains(name) || name.hasPrefix("OP_SESSION_") {
      call.variables[name] = value
    }
    // Time for the desktop application to authenticate the user.
    call.timeout = Interval(seconds: 60)
    return call
  }
}

extension SecretBox {
  /// The parts between each two occurrences of a separator, if the text begins and ends with it. One newline at the end is ignored.
  fileprivate func parts(between separator: [UInt8]) -> [SecretBox] {
    withBytes { bytes in
      var parts: [SecretBox] = []
      var rest = bytes[...]
      guard rest.starts(with: separator) else { return [] }
      rest = rest.dropFirst(separator.count)
      var index = rest.startIndex
      while index + separator.count <= rest.endIndex {
        guard rest[index] == separator[0], rest[index...].starts(with: separator) else {
          index += 1
          continue
        }
        parts.append(SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: rest[..<index]))))
        rest = rest[(index + separator.count)...]
        index = rest.startIndex
      }
      return rest.isEmpty || rest.elementsEqual("\n".utf8) || rest.elementsEqual("\r\n".utf8) ? parts : []
    }
  }
}
