internal import ArgumentParser

/// A group whose commands are found by name, without loading the others: `keyplan keys` has many, and each costs the parser half a
/// million instructions.
protocol CommandGroupTable: ParsableCommand {
  typealias Entry = (name: String, type: @Sendable () -> any ParsableCommand.Type)

  /// In the order of the help.
  static var table: [Entry] { get }

  /// The command that runs if only the group's name is given.
  static var standIn: any ParsableCommand.Type { get }
}

extension CommandGroupTable {
  static var subcommandTypes: [any ParsableCommand.Type] { table.map { $0.type() } }

  /// The command that words after the group's name begin with, and the words after it; nil if they name none.
  static func find(_ words: ArraySlice<String>) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>)? {
    guard let word = words.first, !word.hasPrefix("-") else { return (standIn, words) }
    return table.first { $0.name == word }.map { ($0.type(), words.dropFirst()) }
  }
}
