internal import KeyplanCore
internal import KeyplanStore

/// What is said of a move: before it, and when it is done.
struct MoveText {
  private let survey: StoreMove.Survey
  private let from: StorePlace
  private let destination: StoreDestination
  private let style: Style

  init(_ survey: StoreMove.Survey, _ from: StorePlace, _ destination: StoreDestination, _ style: Style) {
    (self.survey, self.from, self.destination, self.style) = (survey, from, destination, style)
  }

  /// What a move would do.
  var before: String {
    var page = Page(style: style)
    let state = StoreState(id: survey.facts.id, serial: survey.facts.serial, epoch: survey.facts.epoch)
    Heading.put("store move", environment: from.environment, store: state, on: &page)
    page.end()
    for (word, text) in [("from", from.shown), ("to", destination.place.shown), ("rows", rows)] + found {
      page.move(to: 2)
      page.put(word, .strong)
      page.move(to: 9)
      page.prose(text, indent: 9)
      page.end()
    }
    page.end()
    page.prose(
      "Nothing is opened. \(from.shown) then says where the store went and takes no more writes; "
        + "plans that were saved before are refused.", indent: 0)
    page.end()
    return page.text
  }

  private var rows: String {
    "\(Spans.count(survey.records, "record")) and \(Spans.count(survey.values, "value")), sealed as they are"
  }

  /// What there is at the new place, where that needs a word.
  private var found: [(String, String)] {
    let tables = destination.makesTables ? destination.place.shared : nil
    let making = tables.map { [("makes", "the tables of keyplan in the schema \($0.schema)")] } ?? []
    return switch survey.destination {
    case .empty: making
    case .begun: making + [("finds", "what an earlier move began, which is begun anew")]
    case .left: making + [("finds", "what was left there when the store was moved away, which is replaced")]
    case .copied: [("finds", "all of it: only the last step of an earlier move is left")]
    case .there: []
    }
  }

  /// That it is done.
  var done: String {
    if case .there = survey.destination { return "The store is at \(destination.place.shown) already.\n" }
    return "Moved: \(rows), and equal to the byte.\n"
  }

  /// How the store is found from now on.
  func next(_ options: GlobalOptions, in world: World) -> String {
    let variable = world.variable("KEYPLAN_STORE")
    var lines: [String] = []
    if !destination.isSet {
      if let setting = destination.setting {
        let instead = destination.isOther ? ", instead of the `store` that it has" : ""
        lines.append("Next: this line in \(destination.file)\(instead):\n\n  store: \(setting)\n")
      } else {
        lines.append("Next: take `store` out of \(destination.file): this is the default.\n")
      }
    }
    if options.common.store == nil, variable != nil {
      if destination.isSet {
        lines.append("Next: unset KEYPLAN_STORE, wherever keyplan is run: it names the old place.\n")
      } else {
        let value = destination.setting ?? destination.place.shown
        lines.append(
          "KEYPLAN_STORE names the old place. Wherever keyplan is run, unset it, or:\n\n"
            + "  export KEYPLAN_STORE='\(value)'\n")
      }
    }
    return lines.isEmpty ? "" : "\n" + lines.joined(separator: "\n")
  }
}
