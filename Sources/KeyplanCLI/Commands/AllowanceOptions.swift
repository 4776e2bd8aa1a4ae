internal import ArgumentParser
internal import KeyplanCore

/// What a person can allow for one run, beyond what the manifest says.
struct AllowanceOptions: ParsableArguments {
  @Flag(help: "Forget more than the limit, the last key, or a protected or active one.")
  var allowForget = false

  @Flag(help: "Overwrite what others wrote at a target.")
  var allowOverwrite = false

  @Flag(help: "Retire the last usable key of a slot or target.")
  var allowRetire = false

  /// Those that were given, as they are typed.
  var options: [String] {
    [(allowForget, "--allow-forget"), (allowOverwrite, "--allow-overwrite"), (allowRetire, "--allow-retire")]
      .filter(\.0).map(\.1)
  }

  var allowances: Allowances { Allowances(forget: allowForget, overwrite: allowOverwrite, retire: allowRetire) }
}
