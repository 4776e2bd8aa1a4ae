internal import ArgumentParser

/// How a change that is shown first gets its *yes*.
struct ConfirmOptions: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  @Option(help: ArgumentHelp("How long to wait while somebody else holds the lock, such as 30s.", valueName: "time"))
  var lockTimeout: Patience?
}
