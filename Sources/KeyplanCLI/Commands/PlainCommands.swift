internal import KeyplanOperations

// The command lines that programs run most often. They are read here, without the parser, which would cost more than all the
// rest: the runtime searches all conformances of the program to answer its casts. Everything unusual, and every error, is
// left to the parser. A test reads random command lines in both ways.

extension Keyplan {
  /// The command; nil if the words need the parser.
  static func plain(_ name: String, _ words: [String]) -> (any KeyplanCommand)? {
    switch name {
    case "get": Get.plain(words)
    case "env": Env.plain(words)
    case "run": RunCommand.plain(words)
    case "plan": PlanCommand.plain(words)
    case "apply": Apply.plain(words)
    case "drift": Drift.plain(words)
    case "validate": Validate.plain(words)
    case "watch": WatchCommand.withCommand(words)
    default: nil
    }
  }
}

extension Get {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var (command, name) = (Self(), String?.none)
    (command.reveal, command.text) = (false, .leftOut)
    let read = PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .operand(let text) where name == nil:
        name = text
        return true
      case .option(let option): return command.text.common.take(option, from: &line)
      default: return false
      }
    }
    guard let name, var read else { return nil }
    read.name = name
    return read
  }
}

extension Env {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.selection, command.format, command.reveal, command.options) = (.leftOut, nil, false, .leftOut)
    return PlainLine.read(words, into: command) { command, word, line in
      guard case .option(let option) = word else { return false }
      if option == "--format" { return line.set(&command.format, EnvFormat.init(rawValue:)) }
      return command.selection.take(option, from: &line) || command.options.take(option, from: &line)
    }
  }
}

extension RunCommand {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.selection, command.command, command.text) = (.leftOut, [], .leftOut)
    return PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .rest(let words):
        command.command = words
        return true
      case .option(let option):
        return command.selection.take(option, from: &line) || command.text.common.take(option, from: &line)
      case .operand: return false
      }
    }
  }
}

extension PlanCommand {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.allowed, command.checks, command.out, command.validFor) = (.leftOut, .leftOut, nil, nil)
    (command.only, command.detailedExitcode, command.allEnvironments) = ([], false, false)
    (command.format, command.events, command.report) = (.leftOut, .leftOut, .leftOut)
    return PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .option("--detailed-exitcode"): command.detailedExitcode.setFlag()
      case .option("--verify"): command.checks.verify.setFlag()
      case .option("--out"): line.set(&command.out)
      case .option(let option):
        command.format.take(option, from: &line) || command.report.take(option, from: &line)
      case .operand, .rest: false
      }
    }
  }
}

extension Apply {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.allowed, command.checks, command.planfile, command.expect) = (.leftOut, .leftOut, nil, [])
    (command.allEnvironments, command.keepGoing) = (false, false)
    (command.only, command.yes, command.events, command.report) = ([], false, .leftOut, .leftOut)
    return PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .option("-y"), .option("--yes"): command.yes.setFlag()
      case .option(let option): command.report.take(option, from: &line)
      case .operand, .rest: false
      }
    }
  }
}

extension Drift {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.failOn, command.chosen, command.verify, command.allEnvironments) = (.pending, .leftOut, false, false)
    (command.format, command.events, command.report) = (.leftOut, .leftOut, .leftOut)
    var level: FindingLevel?
    let read = PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .option("--verify"): command.verify.setFlag()
      case .option("--fail-on"): line.set(&level, FindingLevel.init(rawValue:))
      case .option(let option):
        command.chosen.take(option, from: &line) || command.format.take(option, from: &line)
          || command.report.take(option, from: &line)
      case .operand, .rest: false
      }
    }
    guard var read else { return nil }
    if let level { read.failOn = level }
    return read
  }
}

extension Validate {
  fileprivate static func plain(_ words: [String]) -> Self? {
    var command = Self()
    (command.allEnvironments, command.format, command.report) = (false, .leftOut, .leftOut)
    return PlainLine.read(words, into: command) { command, word, line in
      switch word {
      case .option(let option):
        command.format.take(option, from: &line) || command.report.take(option, from: &line)
      case .operand, .rest: false
      }
    }
  }
}
