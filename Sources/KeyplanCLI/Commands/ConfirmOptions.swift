internal import ArgumentParser

/// How a change that is shown first gets its *yes*.
struct ConfirmOptions: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false
}
