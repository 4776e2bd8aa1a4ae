/// Programs that read dotenv files, with the values that they misread in every form: see ``DotenvDocument``.
///
/// Each statement is tested with the program itself.
package enum DotenvReader: CaseIterable, Sendable {
  case shell
  /// `node --env-file`, `util.parseEnv` and the package `dotenv`.
  case node
  case pythonDotenv
  case phpDotenv

  /// The name for messages.
  package var title: String {
    switch self {
    case .shell: "a POSIX shell"
    case .node: "Node"
    case .pythonDotenv: "python-dotenv"
    case .phpDotenv: "phpdotenv"
    }
  }

  /// The readers that do not read a value as it is, if a ``DotenvDocument`` wrote it.
  package static func misreading(_ value: some BidirectionalCollection<UInt8>) -> [DotenvReader] {
    let content = DotenvQuotes.Content(value)
    let quotes = DotenvQuotes.holding(value, preferring: .none)
    return allCases.filter { !$0.reads(content, in: quotes) }
  }

  private func reads(_ value: DotenvQuotes.Content, in quotes: DotenvQuotes) -> Bool {
    let isEscaped = quotes == .double && !value.fitsDouble
    return switch self {
    case .shell: !value.hasCarriageReturn
    case .node: !isEscaped
    case .pythonDotenv:
      !value.hasVariable && !(quotes == .single && value.hasTwoBackslashes)
        && !(isEscaped && (value.hasDollar || value.hasBacktick))
    // It joins lines by guessing, so some values that it would read are counted as misread.
    case .phpDotenv:
      switch quotes {
      case .single: !value.hasLineFeed && !value.hasQuotedAssignment
      case .double where isEscaped: !value.hasBacktick && !value.hasLineFeed
      case .none, .double: value.isClear(in: quotes)
      }
    }
  }
}
