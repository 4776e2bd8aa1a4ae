/// The fields of a target of one type, and the properties of its place.
package struct TargetGrammar: Hashable, Sendable {
  /// The fields other than `type`, `connection`, `keys`, `takeOver`, `unsafeName` and `after`.
  package let fields: [BackendField]
  /// The sets of optional fields of which one must be complete: `[["project"], ["group"]]`; empty without such a choice.
  package let choices: [[String]]
  /// The permitted names.
  package let names: NameRule
  package let limits: Limits
  /// The visibility of written values.
  package let readsBack: ReadBack
  /// The time at which a written value takes effect.
  package let takesEffect: TakesEffect
  /// Side effects of the service on names.
  package let isOutside: Bool
  /// Side effects of the service on names.
  package let notices: [TargetNotice]

  /// The limits of a place.
  package struct Limits: Hashable, Sendable {
    /// The most bytes of one value; nil for no limit but keyplan's own.
    package let valueBytes: Int?
    /// The most names at one place; nil for no limit.
    package let names: Int?

    /// Sets no limits except those that are passed.
    package init(valueBytes: Int? = nil, names: Int? = nil) {
      self.valueBytes = valueBytes
      self.names = names
    }
  }

  /// The visibility of a written value.
  package enum ReadBack: Hashable, Sendable {
    /// The value.
    case values
    /// That the name is there, and a mark that changes with each write.
    case marks
    /// That the name is there.
    case presence
  }

  /// By default a place that shows its values and permits any name.
  package init(
    fields: [BackendField], choices: [[String]] = [], names: NameRule = .text, limits: Limits = Limits(),
    readsBack: ReadBack = .values,
    takesEffect: TakesEffect = .now, isOutside: Bool = false, notices: [TargetNotice] = []
  ) {
    self.isOutside = isOutside
    self.notices = notices
    self.fields = fields
    self.choices = choices
    self.names = names
    self.limits = limits
    self.readsBack = readsBack
    self.takesEffect = takesEffect
  }

  /// Whether its place is a file.
  package var isFile: Bool { fields.contains { $0.kind == .file } }
}

/// A sentence about a side effect of a service, which a plan shows at the step that causes it.
package struct TargetNotice: Hashable, Sendable {
  /// The steps that it is about.
  package enum Occasion: String, Hashable, Sendable, CaseIterable {
    /// Those that create a name.
    case create
    /// Those that remove a name.
    case remove
  }

  /// The steps that it is about.
  package let occasion: Occasion
  /// The texts that fields of the connection must have for the notice to apply.
  package let fields: [String: String]
  /// A part of a sentence: `job logs show the values`.
  package let words: String

  package init(_ occasion: Occasion, fields: [String: String] = [:], words: String) {
    self.occasion = occasion
    self.fields = fields
    self.words = words
  }
}

/// The time at which a written value takes effect.
package enum TakesEffect: String, Hashable, Sendable, Codable, CaseIterable {
  /// Immediately.
  case now
  /// After a restart of its reader.
  case restart
  /// With the next deploy of its reader.
  case nextDeploy
}

/// The permitted names at a place.
package struct NameRule: Hashable, Sendable {
  /// The characters that a name is made of.
  package enum Alphabet: Hashable, Sendable {
    /// Any text without control characters.
    case text
    /// Those of environment variables.
    case variable
    /// Any text without control characters that is a valid `NestedName`.
    case nested
    /// Names that match this pattern.
    case pattern(FormatPattern)
  }

  /// An error in a name.
  package enum Fault: Hashable, Sendable {
    /// It contains other characters.
    case alphabet(Alphabet)
    /// It contains a `/` and does not begin with one.
    case slash
    /// It is not a valid JSON Pointer.
    case escape
    /// It begins as the service's own names do.
    case reserved(prefix: String)
    /// It is one of the service's own names.
    case taken(String)
    /// It has more characters than this.
    case tooLong(limit: Int)
  }

  /// The characters that a name is made of.
  package let alphabet: Alphabet
  /// Beginnings that the service keeps to itself; upper or lower case.
  package let reserved: [String]
  /// Whole names that the service keeps to itself; upper or lower case.
  package let taken: [String]
  /// The most characters; nil for no limit.
  package let longest: Int?
  /// Whether names that differ in case alone are one name.
  package let foldsCase: Bool

  /// - Parameters:
  ///   - reserved: beginnings, in any case of letters.
  ///   - taken: whole names, in any case of letters.
  package init(
    _ alphabet: Alphabet, reserved: [String] = [], taken: [String] = [], longest: Int? = nil, foldsCase: Bool = false
  ) {
    self.alphabet = alphabet
    self.reserved = reserved
    self.taken = taken
    self.longest = longest
    self.foldsCase = foldsCase
  }

  /// Any text without control characters.
  package static let text = NameRule(.text)
  /// Names of environment variables.
  package static let variable = NameRule(.variable)
  /// Names of values that may be nested.
  package static let nested = NameRule(.nested)

  /// Nil for a name that can be used.
  package func fault(in name: String) -> Fault? {
    let isWritable =
      switch alphabet {
      case .text, .nested: !name.isEmpty && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
      case .variable: VariableName.isValid(name)
      case .pattern(let pattern): pattern.matches(Array(name.utf8))
      }
    guard isWritable else { return .alphabet(alphabet) }
    if alphabet == .nested {
      do throws(NestedName.Fault) {
        _ = try NestedName(name)
      } catch {
        return error == .slash ? .slash : .escape
      }
    }
    if let longest, name.unicodeScalars.count > longest { return .tooLong(limit: longest) }
    guard !reserved.isEmpty || !taken.isEmpty else { return nil }
    let upper = name.uppercased()
    if let taken = taken.first(where: { upper == $0.uppercased() }) { return .taken(taken) }
    return reserved.first { upper.hasPrefix($0.uppercased()) }.map { .reserved(prefix: $0) }
  }

  /// The one text of a valid name: `a` for the JSON Pointer `/a`.
  package func canonical(_ name: String) -> String {
    guard alphabet == .nested, name.utf8.first == UInt8(ascii: "/") else { return name }
    return (try? NestedName(name))?.text ?? name
  }

  /// Whether each name must be written like a variable's, so that programs get the values as variables: dotenv files, CI secrets,
  /// the settings of a deployment.
  package var areVariables: Bool {
    switch alphabet {
    case .variable: true
    case .text, .nested: false
    case .pattern(let pattern): pattern.matches(Array("LD_A".utf8)) && !pattern.matches(Array("0-A".utf8))
    }
  }

  /// The text that two names are compared by.
  package func identity(of name: String) -> String { foldsCase ? name.uppercased() : name }
}
