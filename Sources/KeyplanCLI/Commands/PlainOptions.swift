internal import KeyplanOperations
internal import KeyplanReporting

// The options of the plain forms: the parser's defaults for those that are left out, and those that are read here. Reading
// a property that is not set traps. Tests compare both with the parser.

extension GlobalOptions {
  static var leftOut: Self {
    var options = Self()
    (options.common, options.json, options.showsAll) = (.leftOut, false, false)
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    option == "--json" ? json.setFlag() : common.take(option, from: &line)
  }
}

extension ReportOptions {
  static var leftOut: Self {
    var options = Self()
    (options.common, options.json, options.all) = (.leftOut, false, false)
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    switch option {
    case "--json": json.setFlag()
    case "--all": all.setFlag()
    default: common.take(option, from: &line)
    }
  }
}

extension TextOptions {
  static var leftOut: Self {
    var options = Self()
    (options.common, options.json) = (.leftOut, false)
    return options
  }
}

extension CommonOptions {
  static var leftOut: Self {
    var options = Self()
    (options.manifest, options.environment, options.store, options.identity) = (nil, nil, nil, nil)
    (options.lockTimeout, options.color, options.width) = (nil, nil, nil)
    (options.noInput, options.quiet, options.verbose) = (false, false, false)
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    switch option {
    case "-f", "--manifest": line.set(&manifest)
    case "-e", "--environment": line.set(&environment)
    case "--store": line.set(&store)
    case "--identity": line.set(&identity)
    case "--lock-timeout": line.set(&lockTimeout, TimeoutArgument.init(argument:))
    case "--color": line.set(&color, ColorChoice.init(rawValue:))
    case "--no-input": noInput.setFlag()
    case "-q", "--quiet": quiet.setFlag()
    case "-v", "--verbose": verbose.setFlag()
    default: false
    }
  }
}

extension ExportOptions {
  static var leftOut: Self {
    var options = Self()
    (options.target, options.only) = (nil, [])
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    option == "--target" && line.set(&target)
  }
}

extension AllowanceOptions {
  static var leftOut: Self {
    var options = Self()
    (options.allowForget, options.allowOverwrite, options.allowRetire) = (false, false, false)
    return options
  }
}

extension VerifyOption {
  static var leftOut: Self {
    var options = Self()
    options.verify = false
    return options
  }
}

extension FormatOptions {
  static var leftOut: Self {
    var options = Self()
    options.format = nil
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    option == "--format" && line.set(&format, ReportFormat.init(rawValue:))
  }
}

extension EventOptions {
  static var leftOut: Self {
    var options = Self()
    options.events = nil
    return options
  }
}

extension DriftOptions {
  static var leftOut: Self {
    var options = Self()
    (options.since, options.ignore, options.baseline, options.unreachableAfter) = (nil, [], nil, nil)
    (options.writeBaseline, options.until) = (nil, nil)
    return options
  }

  mutating func take(_ option: String, from line: inout PlainLine) -> Bool {
    switch option {
    case "--baseline": line.set(&baseline)
    case "--unreachable-after": line.set(&unreachableAfter, TimeoutArgument.init(argument:))
    default: false
    }
  }
}
