/// The style of text: for a terminal, a pipe or a dumb screen. The content is the same in all of them.
package struct Style: Hashable, Sendable {
  /// Whether ANSI colours are used. They only repeat the meaning of signs and words.
  package var usesColour: Bool
  /// Columns to a line; lines are longer only if they have no place to break.
  package var width: Int
  /// Whether the reader's locale is UTF-8; otherwise keyplan's own signs are ASCII.
  package var usesUnicode: Bool
  /// Whether times are those of the reader's zone, rather than UTC.
  package var usesLocalTime: Bool

  /// Whether lists are shown to their end.
  package var showsAll: Bool

  /// The options that commands in the text need.
  package var project: ProjectOptions

  /// Lines end only at the end of a text: logs are searched by lines.
  package static let unlimited = 1 << 20

  /// No line is set narrower than this.
  package static let narrowest = 20

  package init(
    usesColour: Bool = false, width: Int = 80, usesUnicode: Bool = true, usesLocalTime: Bool = false,
    showsAll: Bool = false, project: ProjectOptions = ProjectOptions()
  ) {
    self.usesColour = usesColour
    self.width = max(width, Self.narrowest)
    self.usesUnicode = usesUnicode
    self.usesLocalTime = usesLocalTime
    self.showsAll = showsAll
    self.project = project
  }

  /// The signs beyond ASCII, with their substitutes where only ASCII can be shown.
  package enum Sign {
    case arrow, dot, ellipsis, active, inactive, mask
  }

  /// The text of a sign in this style.
  package func text(_ sign: Sign) -> String {
    switch sign {
    case .arrow: usesUnicode ? "→" : "->"
    case .dot: usesUnicode ? "·" : "-"
    case .ellipsis: usesUnicode ? "…" : "..."
    case .active: usesUnicode ? "●" : "*"
    case .inactive: usesUnicode ? "○" : "o"
    case .mask: usesUnicode ? "••••••••" : "********"
    }
  }
}

/// The meaning of a colour, which is never conveyed by the colour alone.
package enum Tint: String, Sendable {
  case add = "32"
  case remove = "31"
  case change = "33"
  case choose = "36"
  case sync = "34"
  case look = "35"
  case error = "1;31"
  case warning = "1;33"
  case faint = "2"
  case strong = "1"
}
