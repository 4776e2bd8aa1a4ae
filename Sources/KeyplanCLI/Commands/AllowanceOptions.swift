internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanPlanning

/// Exceptions to the safety checks for one run.
struct AllowanceOptions: ParsableArguments {
  @Flag(help: "Allow deleting more records than the limit, the last key, or a protected or active key.")
  var allowForget = false

  @Flag(help: "Allow overwriting values that others wrote at a target.")
  var allowOverwrite = false

  @Flag(help: "Allow retiring the last usable key of a slot or target.")
  var allowRetire = false

  /// The options as typed.
  var options: [String] {
    [(allowForget, "--allow-forget"), (allowOverwrite, "--allow-overwrite"), (allowRetire, "--allow-retire")]
      .filter(\.0).map(\.1)
  }

  var allowances: Allowances { Allowances(forget: allowForget, overwrite: allowOverwrite, retire: allowRetire) }
}
