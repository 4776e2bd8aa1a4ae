internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanStore

/// A command that can be carried out in each environment, one after the other.
protocol EnvironmentsCommand: ReportingCommand {
  var allEnvironments: Bool { get set }

  var report: ReportOptions { get set }

  /// The typed options that have a meaning in one environment only.
  var optionsOfOne: [String] { get }

  /// Keeps the options that apply to one environment.
  mutating func choose(_ environment: String)

  /// Whether the environments after one that ended with this code are left out.
  func isLast(_ code: Int32) -> Bool
}

extension EnvironmentsCommand {
  mutating func choose(_ environment: String) {
    report.common.environment = environment
    allEnvironments = false
  }

  func isLast(_ code: Int32) -> Bool { false }

  /// Refuses options that cannot be combined with all environments.
  func checkEnvironments(_ format: ReportFormat = .text) throws(Failure) {
    guard allEnvironments else { return }
    var options = optionsOfOne
    if self.options.common.environment != nil { options.append("--environment") }
    if format != .text, format != .json { options.append("--format \(format.rawValue)") }
    guard options.isEmpty else {
      throw Failure(
        .usage, "Wrong usage", "--all-environments cannot be combined with \(options.joined(separator: ", ")).",
        hint: "Leave it out, or name one environment with -e.")
    }
  }

  /// Carries the command out in each environment. With JSON the result is one document.
  /// - Returns: the worst exit code, in the usual order.
  func runInAll(by precedence: ExitStatus.Precedence = .standard, on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    if let store = world.settings.store, !PostgresAddress.isAddress(store) {
      throw Failure(
        .usage, "One store for several environments",
        "--store or KEYPLAN_STORE names one file, and each environment has a store of its own.",
        hint: "Leave it out, or name one environment with -e.")
    }
    let names = try EveryEnvironment.names(in: world)
    let isJSON = writesJSON(on: terminal)
    var parts: [EnvironmentsDocument.Part] = []
    var statuses: [ExitStatus] = []
    for (index, name) in names.enumerated() {
      var command = self
      command.choose(name)
      var own = terminal.with(command.globalOptions)
      if isJSON { own.out = Output() }
      if !isJSON, !terminal.isQuiet {
        terminal.out.write((index > 0 ? "\n" : "") + "Environment \(name) (-e \(name))\n\n")
      }
      let code: Int32
      do {
        code = try await command.run(on: own)
      } catch {
        terminal.err.write("In the environment \(name) (-e \(name)):\n")
        code = try CommandLineTool.report(error, on: own, writesJSON: isJSON)
      }
      statuses.append(ExitStatus(rawValue: code) ?? .failed)
      parts.append(.init(environment: name, exitCode: code, result: own.out.taken))
      if isLast(code) { break }
    }
    let left = Array(names.dropFirst(parts.count))
    if !left.isEmpty { terminal.err.write("Nothing was done in \(left.joined(separator: ", ")).\n") }
    if isJSON { terminal.out.write(EnvironmentsDocument.text(parts, left: left)) }
    return ExitStatus.worst(statuses, by: precedence).rawValue
  }
}
