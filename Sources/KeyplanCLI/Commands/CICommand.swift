internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Prints what CI jobs need, or checks it in a job.
struct CICommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "ci",
    abstract: "Print the file and the settings of CI jobs, or check them in a job.",
    usage: """
      keyplan ci <service> [<options>]
      keyplan ci --check [<options>]
      """,
    discussion: """
      The file is written to standard output, and what is to be done before the first job to standard error. Known values, \
      such as the store's address and its pin, are those of this project; no secret is printed, and no store is opened. \
      With --check, the settings of the job in which it runs are checked, all at once. Exits with 9 if the store or the \
      identity cannot be used, with 7 if a pull request's job is trusted, with 64 or 1 for other errors, and with 0 if there \
      are only warnings.

      For example:
        keyplan ci github > .github/workflows/keyplan.yml
        keyplan ci gitlab > .gitlab-ci.yml
        keyplan ci cron --timer
        keyplan ci --check
      """
  )
  .parsedAlone

  @Argument(help: "github, gitlab, or cron for a systemd unit that checks for drift.")
  var service: JobService?

  @Flag(help: "Check the settings of this job.")
  var check = false

  @Flag(help: "With cron: print the timer that starts the unit.")
  var timer = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard check == (service == nil) else {
      throw ValidationError(
        check ? "--check takes no service: it finds out in which one it runs." : "Name a service, or pass --check.")
    }
    guard !timer || service == .cron else { throw ValidationError("--timer is for cron only.") }
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard let service else { return try await examine(world, on: terminal) }
    let file = JobFile(service, try JobSetup.project(for: service, in: world), version: Keyplan.version)
    if terminal.isJSON {
      terminal.out.write(try Document.text(JobDocument(file)))
      return ExitStatus.done.rawValue
    }
    if !terminal.isQuiet, !timer {
      terminal.err.write(JobAdvice.render(file, style: terminal.style(for: terminal.err)) + "\n")
    }
    terminal.out.write(timer ? file.timer : file.text)
    return ExitStatus.done.rawValue
  }

  private func examine(_ world: World, on terminal: Terminal) async throws -> Int32 {
    let examination = await JobExamination(in: world)
    if terminal.isJSON {
      terminal.out.write(
        try Document.text(
          JobChecksDocument(
            examination.checks, service: examination.service?.name, isJob: examination.service != nil)))
    } else {
      let shown = terminal.isQuiet ? examination.checks.filter { $0.level != .ok } : examination.checks
      terminal.out.write(ExaminationText.render(shown, style: terminal.style(for: terminal.out)))
    }
    return ExitStatus.worst(examination.checks.compactMap(\.status)).rawValue
  }
}

extension JobService: ExpressibleByArgument {}
