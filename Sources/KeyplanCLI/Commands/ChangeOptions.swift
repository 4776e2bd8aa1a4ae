internal import ArgumentParser
internal import KeyplanOperations

/// The options of commands that change a key's value.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Change only the store. The next apply writes to targets.")
  var storeOnly = false

  @OptionGroup var confirmation: ConfirmOptions

  var extent: ChangeExtent { storeOnly ? .store : .targets() }
}
