/// Which names an environment variable can have, and which of them do more than carry a value.
public enum VariableName {
  /// Whether a shell takes it: letters, digits and `_`, no digit first (POSIX, Base Definitions, section 3.231).
  public static func isValid(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
    }
  }

  /// What a variable decides for programs that keyplan does not know.
  public enum Risk: Sendable, CaseIterable {
    /// What they load, run or trust.
    case programs
    /// Where they send credentials.
    case addresses
  }

  /// What it takes to set a variable.
  public enum Use: Hashable, Sendable {
    /// Nothing: the name is one of a credential.
    case free
    /// A reviewer sees it where it is new: a program may do anything with it.
    case reviewed
    /// `unsafeName: true`, and a permission.
    case permitted(Risk)
  }

  /// The class of a name, in any case of letters: `https_proxy` counts, and zsh ties `path` to `PATH`.
  public static func use(of name: some StringProtocol) -> Use {
    let bytes = name.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
    if let risk = VariableTable.shared.risk(of: bytes) { return .permitted(risk) }
    return VariableTable.shared.isCredential(bytes) ? .free : .reviewed
  }

  /// What a variable decides if it needs a permission; nil for others.
  public static func risk(of name: some StringProtocol) -> Risk? {
    if case .permitted(let risk) = use(of: name) { risk } else { nil }
  }

  /// Whether it decides what programs load, run or trust, or where they send credentials.
  public static func isUnsafe(_ name: some StringProtocol) -> Bool { risk(of: name) != nil }
}

/// `VariableFamilies` by first and last letter, so that a name is compared with few patterns.
private struct VariableTable: Sendable {
  static let shared = VariableTable(VariableFamilies.all)

  private struct Pattern {
    /// What is around each `*`.
    let parts: [[UInt8]]
    let exceptsSecrets: Bool
    let risk: VariableName.Risk
    /// How many bytes the shortest match has.
    private let minimum: Int

    init(_ parts: [[UInt8]], exceptsSecrets: Bool, risk: VariableName.Risk) {
      (self.parts, self.exceptsSecrets, self.risk) = (parts, exceptsSecrets, risk)
      minimum = parts.reduce(0) { $0 + $1.count }
    }

    func matches(_ name: [UInt8]) -> Bool {
      guard parts.count > 1 else { return name == parts[0] }
      guard name.count >= minimum, name.starts(with: parts[0]),
        name.suffix(parts[parts.count - 1].count).elementsEqual(parts[parts.count - 1])
      else { return false }
      var left = name[parts[0].count..<(name.count - parts[parts.count - 1].count)]
      for part in parts.dropFirst().dropLast() {
        while left.count >= part.count, !left.starts(with: part) { left.removeFirst() }
        guard left.count >= part.count else { return false }
        left.removeFirst(part.count)
      }
      return true
    }
  }

  private var byFirst = [[Pattern]](repeating: [], count: 256)
  /// Those that begin with `*`.
  private var byLast = [[Pattern]](repeating: [], count: 256)
  /// Those that begin and end with `*`.
  private var anywhere: [Pattern] = []
  private let credentialEndings = VariableFamilies.credentialEndings.map { Array($0.utf8) }
  private let secretEndings = VariableFamilies.secretEndings.map { Array($0.utf8) }

  init(_ families: [VariableFamilies]) {
    for family in families {
      for (names, exceptsSecrets) in [(family.names, false), (family.unlessSecret, true)] {
        for name in names.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }) {
          let parts = name.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
          let pattern = Pattern(parts, exceptsSecrets: exceptsSecrets, risk: family.risk)
          if let first = parts.first?.first {
            byFirst[Int(first)].append(pattern)
          } else if let last = parts.last?.last {
            byLast[Int(last)].append(pattern)
          } else {
            anywhere.append(pattern)
          }
        }
      }
    }
  }

  func risk(of name: [UInt8]) -> VariableName.Risk? {
    guard let first = name.first, let last = name.last else { return nil }
    for patterns in [byFirst[Int(first)], byLast[Int(last)], anywhere] {
      for pattern in patterns where pattern.matches(name) {
        if pattern.exceptsSecrets, secretEndings.contains(where: { name.suffix($0.count).elementsEqual($0) }) {
          continue
        }
        return pattern.risk
      }
    }
    return nil
  }

  func isCredential(_ name: [UInt8]) -> Bool {
    var name = name[...]
    if name.last.map({ (0x30...0x39).contains($0) }) == true {
      while let last = name.last, (0x30...0x39).contains(last) || last == UInt8(ascii: "_") { name.removeLast() }
    }
    return credentialEndings.contains { name.suffix($0.count).elementsEqual($0) }
  }
}
