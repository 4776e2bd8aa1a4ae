// The commands that programs run most often, in their plain form without options. They are created here, without the parser,
// which would cost more than all the rest: the runtime searches all conformances of the program to answer its casts.

extension Keyplan {
  /// The command; nil if the arguments need the parser.
  static func plain(_ name: String, _ words: [String]) -> (any KeyplanCommand)? {
    switch name {
    case "get": Get.plain(words)
    case "env": Env.plain(words)
    case "watch": WatchCommand.withCommand(words)
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

// The parser's defaults for omitted options. Reading one that is not set here traps; a test
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
