internal import KeyplanStore

/// Tells of a move: to people as it goes on, to programs in one document at its end.
struct MoveTelling {
  private let survey: StoreMove.Survey
  private let from: StorePlace
  private let destination: StoreDestination
  private let options: GlobalOptions
  private let world: World

  /// How it ended.
  enum Ending {
    case moved(StoreMove.Outcome)
    /// It was there before; this is what stands there.
    case there(StoreFacts)
    /// It was only to be shown.
    case notMoved
  }

  init(
    _ survey: StoreMove.Survey, _ from: StorePlace, _ destination: StoreDestination, _ options: GlobalOptions,
    in world: World
  ) {
    (self.survey, self.from, self.destination, self.options) = (survey, from, destination, options)
    self.world = world
  }

  private var text: MoveText { MoveText(survey, from, destination, options.style(for: world.out, in: world)) }

  /// What would be done.
  func before() {
    if !options.isJSON(in: world) { world.out.write(text.before) }
  }

  /// - Returns: the exit code.
  func tell(_ ending: Ending) throws -> Int32 {
    if case .notMoved = ending { world.err.write("Nothing was moved: this is a dry run.\n") }
    if options.isJSON(in: world) {
      world.out.write(try Document.text(MoveDocument(ending, survey, from, destination)))
      return ExitStatus.done.rawValue
    }
    switch ending {
    case .moved where options.isQuiet(in: world), .notMoved: break
    case .moved, .there: world.out.write(text.done + text.next(options, in: world))
    }
    return ExitStatus.done.rawValue
  }
}
