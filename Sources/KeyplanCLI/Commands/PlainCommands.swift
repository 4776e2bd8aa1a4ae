// The commands that programs start again and again, where no word of them is an option. They are made here, without the parser,
// which would cost more than all the rest: the runtime looks through each conformance of the program to answer what it asks.

extension Keyplan {
  /// The command; nil for all that the parser has to look at.
  static func plain(_ name: String, _ words: [String]) -> (any KeyplanCommand)? {
    switch name {
    case "get": Get.plain(words)
    case "env": Env.plain(words)
    default: nil
    }
  }
}

extension Get {
  static func plain(_ words: [String]) -> Self? {
    guard words.count == 1, !words[0].hasPrefix("-") else { return nil }
    var command = Self()
    (command.name, command.reveal, command.text) = (words[0], false, .leftOut)
    return command
  }
}

extension Env {
  static func plain(_ words: [String]) -> Self? {
    guard words.isEmpty else { return nil }
    var command = Self()
    (command.selection, command.format, command.reveal, command.options) = (.leftOut, nil, false, .leftOut)
    return command
  }
}

// What the parser gives options that are left out. One that is not set here ends the program where it is read; a test
// compares them with the parser's.

extension GlobalOptions {
  fileprivate static var leftOut: Self {
    var options = Self()
    (options.common, options.json, options.showsAll) = (.leftOut, false, false)
    return options
  }
}

extension TextOptions {
  fileprivate static var leftOut: Self {
    var options = Self()
    (options.common, options.json) = (.leftOut, false)
    return options
  }
}

extension CommonOptions {
  fileprivate static var leftOut: Self {
    var options = Self()
    (options.manifest, options.environment, options.store, options.identity) = (nil, nil, nil, nil)
    (options.lockTimeout, options.color, options.width) = (nil, nil, nil)
    (options.noInput, options.quiet, options.verbose) = (false, false, false)
    return options
  }
}

extension ExportOptions {
  fileprivate static var leftOut: Self {
    var options = Self()
    (options.target, options.only) = (nil, [])
    return options
  }
}
