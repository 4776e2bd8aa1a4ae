/// Rules for the names of environment variables, and for those that do more than carry a value.
package enum VariableName {
  /// Whether it is valid in a shell: letters, digits and `_`, no digit first (POSIX, Base Definitions, section 3.231).
  package static func isValid(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
    }
  }

  /// The effect of a variable on programs that keyplan does not know.
  package enum Risk: Sendable, CaseIterable {
    /// The code that they load, run or trust.
    case programs
    /// The hosts that they send credentials to.
    case addresses
  }

  /// The requirement for setting a variable.
  package enum Use: Hashable, Sendable {
    /// None: the name is that of a credential.
    case free
    /// A reviewer sees a new one: a program may do anything with it.
    case reviewed
    /// `unsafeName: true`, and a permission.
    case permitted(Risk)
  }

  /// The class of a name, in any case of letters: `https_proxy` counts, and zsh ties `path` to `PATH`.
  package static func use(of name: some StringProtocol) -> Use { VariableTable.shared.use(of: name) }

  /// The effect of a variable that needs a permission; nil for others.
  package static func risk(of name: some StringProtocol) -> Risk? {
    if case .permitted(let risk) = use(of: name) { risk } else { nil }
  }

  /// Whether it determines the code that programs load, run or trust, or where they send credentials.
  package static func isUnsafe(_ name: some StringProtocol) -> Bool { risk(of: name) != nil }
}
