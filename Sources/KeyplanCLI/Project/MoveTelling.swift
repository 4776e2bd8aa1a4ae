internal import KeyplanCore
internal import KeyplanReporting
internal import KeyplanStore

/// Tells of a move: to people as it goes on, to programs in one document at its end.
struct MoveTelling {
  private let report: MoveReport
  private let options: GlobalOptions
  private let world: World

  init(_ report: MoveReport, _ options: GlobalOptions, in world: World) {
    (self.report, self.options, self.world) = (report, options, world)
  }

  private var text: MoveText { MoveText(report, options.style(for: world.out, in: world)) }

  /// What would be done.
  func before() {
    if !options.isJSON(in: world) { world.out.write(text.before) }
  }

  /// - Returns: the exit code.
  func tell(_ ending: MoveReport.Ending) throws -> Int32 {
    if case .notMoved = ending { world.err.write("Nothing was moved: this is a dry run.\n") }
    if options.isJSON(in: world) {
      world.out.write(try Document.text(MoveDocument(report, ending)))
      return ExitStatus.done.rawValue
    }
    switch ending {
    case .moved where options.isQuiet(in: world), .notMoved: break
    case .moved, .there: world.out.write(text.done)
    }
    return ExitStatus.done.rawValue
  }
}

extension MoveReport {
  init(
    _ survey: StoreMove.Survey, _ from: ResolvedStore, _ destination: StoreDestination, _ options: GlobalOptions,
    in world: World
  ) {
    let tables = destination.makesTables ? destination.place.shared : nil
    self.init(
      environment: from.environment, store: StoreState(survey.facts), from: from.name, to: destination.place.name,
      rows: StoreRows(records: survey.records, values: survey.values),
      destination: Destination(survey.destination), makesTablesIn: tables?.schema,
      setting: StoreSetting(
        line: destination.setting, file: destination.file, isSet: destination.isSet, replacesLine: destination.isOther,
        isVariableOld: options.common.store == nil && world.variable("KEYPLAN_STORE") != nil))
  }
}

extension MoveReport.Destination {
  fileprivate init(_ destination: StoreMove.Destination) {
    self =
      switch destination {
      case .empty: .empty
      case .begun: .begun
      case .left: .left
      case .copied: .copied
      case .there: .there
      }
  }
}

extension MoveUndoReport.Loss {
  init(_ loss: MoveUndoing.Loss) {
    self =
      switch loss {
      case .unreachable(let reason): .unreachable(reason)
      case .absent: .absent
      case .anotherStore: .anotherStore
      }
  }
}

extension StoreState {
  init(_ facts: StoreFacts) { self.init(id: facts.id, serial: facts.serial, epoch: facts.epoch) }
}

extension ResolvedStore {
  /// As reports name it.
  var name: StorePlaceName { StorePlaceName(shown: shown, lasting: lasting) }
}

extension LockHolder {
  init(_ holder: StoreLock.Holder, of account: Identifier<Account>? = nil) {
    self.init(
      account: account, process: Int(holder.process), host: holder.host, since: holder.since, command: holder.command,
      id: holder.id.map { Int($0) }, job: holder.job, silence: holder.silence.map { Int($0) })
  }
}
