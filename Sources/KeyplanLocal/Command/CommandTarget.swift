import KeyplanDocuments
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// `type: command`: a place that one program writes, and another one reads, if there is one. Values are on standard input and output only, never in
/// arguments or variables, which other processes can see.
package struct CommandTarget: SecretTarget {
  private let context: SourceContext
  private static let timeout = Interval(seconds: 60)
  private static let outputLimit = 1 << 20

  package init(_ context: TargetContext) { self.context = context.programs }

  package var backend: BackendDescription { CommandSource.backend }

  /// Runs the reading program, unless no names are requested. Without a reading program, every name may have an unknown
  /// value: only the records can say otherwise.
  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    guard !question.names.isEmpty else { return TargetSight(.values([:])) }
    do throws(AccessFailure) {
      guard let read = try Self.commands(destination).read else {
        return TargetSight(.marks(Dictionary(uniqueKeysWithValues: question.names.map { ($0, nil) })))
      }
      return TargetSight(try await answer(of: read, question.names))
    } catch {
      return TargetSight(.failed(error))
    }
  }

  /// Runs the writing program once, for all names, and then the reading one, whose answer has to show what was written.
  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let commands = try Self.commands(destination)
    let (changes, refused) = CommandInput.separate(changes)
    guard !changes.names.isEmpty else { return refused }
    return try await run(commands, changes).merging(refused) { $1 }
  }

  private func run(
    _ commands: CommandPair, _ changes: TargetChanges
  ) async throws(AccessFailure) -> [String: WriteResult] {
    var process = process(commands.write)
    process.input = CommandInput(changes).json
    do throws(ProgramProcess.Failure) {
      let end = try await process.run()
      guard end.code == 0 else {
        return changes.all(
          .unknown("\"\(process.name)\" failed with exit code \(end.code). Run it manually to see why."))
      }
    } catch {
      guard error.wasStarted else { throw AccessFailure(.unreachable, error.reason) }
      return changes.all(.unknown(error.reason))
    }
    guard let read = commands.read else { return changes.all(.done()) }
    do throws(AccessFailure) {
      return Self.results(of: changes, in: try await answer(of: read, Set(changes.names)), words(of: read))
    } catch {
      return changes.all(.unknown(error.reason))
    }
  }

  /// The reading program's view of a write. Marks have no values to compare.
  private static func results(
    of changes: TargetChanges, in answer: TargetAnswer, _ reader: String
  ) -> [String: WriteResult] {
    var results = changes.all(.done())
    func shows(_ name: String, _ what: String) {
      results[name] = .unknown("After the write, \(reader) shows \(what) under \(name).")
    }
    switch answer {
    case .values(let values):
      for (name, value) in changes.set {
        switch values[name] {
        case nil: shows(name, "no value")
        case .text(let there) where there.isSameValue(as: value): break
        case .text, .other, .failed: shows(name, "another value")
        }
      }
      for name in changes.remove where values[name] != nil { shows(name, "a value") }
    case .marks(let marks):
      for name in changes.set.map(\.name) where marks[name] == nil { shows(name, "no value") }
      for name in changes.remove where marks[name] != nil { shows(name, "a value") }
    case .failed(let failure): return changes.all(.unknown(failure.reason))
    }
    return results
  }

  private func words(of command: Reference) -> String { "\"\(command.arguments.first ?? "")\"" }

  private func answer(
    of read: Reference, _ names: Set<String>
  ) async throws(AccessFailure) -> TargetAnswer {
    let process = process(read)
    let output: SecretBox
    do throws(ProgramProcess.Failure) {
      let end = try await process.run()
      guard end.code == 0 else {
        throw ProgramProcess.Failure(
          reason: "\"\(process.name)\" failed with exit code \(end.code). Run it manually to see why.")
      }
      output = end.output
    } catch {
      throw AccessFailure(error.wroteTooMuch ? .unreadable : .unreachable, error.reason)
    }
    if let answer = try? Self.answer(names, in: output) { return answer }
    throw AccessFailure(
      .unreadable, "\"\(process.name)\" did not write a JSON object.",
      hint: "It must write {\"NAME\": \"VALUE\"} to standard output, with null for a value that cannot be shown.")
  }

  private static func answer(_ names: Set<String>, in output: SecretBox) throws(DocumentError) -> TargetAnswer? {
    let document = try JSONDocument(output.withBytes { Array($0) })
    guard case .other(.object)? = try document.value(at: "") else { return nil }
    var values: [String: TargetValue] = [:]
    var hidden = false
    for name in names {
      switch try document.value(at: JSONDocument.pointer(to: [name])) {
      case nil: continue
      case .other(.null):
        values[name] = .other
        hidden = true
      case .text(let bytes): values[name] = ValueFault(in: bytes) == .holdsNUL ? .other : .text(SecretBox(bytes))
      case .other: values[name] = .other
      }
    }
    // An answer is either values or marks.
    return hidden ? .marks(values.mapValues { _ in nil }) : .values(values)
  }

  private static func commands(_ destination: Destination) throws(AccessFailure) -> CommandPair {
    guard let commands = destination.commands else {
      throw AccessFailure(.unreadable, "The commands of this target are not recorded in a form that can be run.")
    }
    return commands
  }

  private func process(_ reference: Reference) -> ProgramProcess {
    let line = CommandLine(reference, in: context)
    return ProgramProcess(
      name: reference.arguments.first ?? "", path: line.program, arguments: line.arguments,
      environment: line.search.environment(Set(reference.variables), from: context.variables), directory: nil,
      timeout: Self.timeout, outputLimit: Self.outputLimit)
  }
}
