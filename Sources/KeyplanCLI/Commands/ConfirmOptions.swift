internal import ArgumentParser

/// The option that skips the confirmation of a change.
struct ConfirmOptions: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Do not ask for confirmation.")
  var yes = false
}
