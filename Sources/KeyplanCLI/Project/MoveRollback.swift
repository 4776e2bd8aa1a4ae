internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting
internal import KeyplanStore

/// `keyplan store move --undo`: the place that a store was moved away from is the store again, where the other one is lost.
struct MoveRollback {
  private let project: Project
  /// Where the store was moved away from.
  private let place: ResolvedStore
  /// How its new place is named by whoever asks; nil for what the mark says.
  private let to: String?
  private let identities: Identities
  private let undoing: MoveUndoing
  private let options: GlobalOptions
  private let world: World

  init(_ project: Project, _ place: ResolvedStore, lost to: String?, _ options: GlobalOptions, in world: World) throws {
    (self.project, self.place, self.to, self.options, self.world) = (project, place, to, options, world)
    identities = try Identities(options, in: world)
    OpenStore.tell(place, identities, options, in: world)
    undoing = MoveUndoing(at: place.location, identities: identities.all)
  }

  /// - Parameter ask: gets a person's yes, where one is needed.
  /// - Returns: the exit code.
  func run(
    isDry: Bool, _ confirmation: ConfirmOptions, asking ask: (String) throws(Failure) -> Void
  ) async throws -> Int32 {
    let left = try left()
    try place.trust.require(left.facts) { () throws(Failure) in [] }
    let report = report(left, try loss(left))
    let text = UndoText(report, options.style(for: world.out, in: world))
    let isJSON = options.isJSON(in: world)
    if !isJSON, !options.isQuiet(in: world) || isDry || !confirmation.yes { world.out.write(text.before) }
    guard !isDry else {
      world.err.write("Nothing was undone: this is a dry run.\n")
      if isJSON { world.out.write(try Document.text(MoveDocument(undoing: report, nil))) }
      return ExitStatus.done.rawValue
    }
    if !confirmation.yes { try ask("Go on here without it? Only `yes` is taken: ") }
    let facts = try await carryOut(left, timeout: try options.lockTimeout(in: world)?.duration ?? .zero)
    if isJSON {
      world.out.write(try Document.text(MoveDocument(undoing: report, StoreState(facts))))
    } else if !options.isQuiet(in: world) {
      world.out.write(text.done)
    }
    return ExitStatus.done.rawValue
  }

  private func report(_ left: MoveUndoing.Left, _ loss: MoveUndoing.Loss) -> MoveUndoReport {
    let isByVariable = options.common.store == nil && world.variable("KEYPLAN_STORE") != nil
    let named = project.reading.settings.store
    // An address in the variable may have a password.
    let setting = isByVariable ? named : place.setting(of: options.common.store ?? named, in: project)
    return MoveUndoReport(
      environment: place.environment, store: StoreState(left.facts), place: place.name,
      rows: StoreRows(records: left.records, values: left.values), movedAt: left.at, lostPlace: left.to,
      loss: MoveUndoReport.Loss(loss), accounts: left.accounts, isPinned: place.pin != nil,
      setting: StoreSetting(
        line: setting, file: project.texts.last?.file ?? project.shown, isSet: named == setting, replacesLine: false,
        isVariableOld: options.common.store != nil && world.variable("KEYPLAN_STORE") != nil))
  }

  private func left() throws(Failure) -> MoveUndoing.Left {
    let left: MoveUndoing.Left?
    do throws(StoreError) {
      left = try undoing.left()
    } catch {
      let failure = Failure.opening(place, identities, error)
      guard error.code == .noStore || error.code == .unreachable else { throw failure }
      throw Failure(failure.status, failure.summary, failure.detail, hint: Self.other)
    }
    guard let left else {
      throw Failure(
        .usage, "Nothing to undo", "The store is at \(place.shown): it was not moved away.", hint: Self.other)
    }
    return left
  }

  private static let other = "A move is undone at the place that the store was moved away from: name that with --store."

  /// - Throws: where the store is there, or where nobody can tell.
  private func loss(_ left: MoveUndoing.Left) throws(Failure) -> MoveUndoing.Loss {
    let new = try ResolvedStore(named: left.to, to, of: project, in: world)
    do throws(StoreError) {
      return try MoveUndoing.loss(of: left, at: new.location)
    } catch {
      guard error.code == .exists else {
        let failure = Failure(error)
        let other = new.shared == nil || to != nil ? error.hint : "Name it with --to as you reach it, with its user."
        throw Failure(
          failure.status, failure.summary, failure.detail,
          hint: [other, "Nothing is given up while something answers there."].compactMap(\.self).joined(separator: " "))
      }
      throw Failure(.failed, "The store is not lost", error.detail, hint: error.hint)
    }
  }

  private func carryOut(_ left: MoveUndoing.Left, timeout: Duration) async throws(Failure) -> StoreFacts {
    let display = LiveDisplay(LiveLine(waiting: ["undoing the move"]), options, in: world)
    return try await display.showing { () async throws(Failure) in
      try await Failure.awaiting { () async throws(StoreError) in
        try await undoing.carryOut(
          left, command: "keyplan store move --undo", job: world.job, since: world.now, timeout: timeout
        ) { fresh throws(StoreError) in try place.pin(fresh) }
      }
    }
  }
}

extension ResolvedStore {
  /// The place that a mark names. The address in it has no user and no password: those are taken from what is said, or from the variable
  /// or the manifest where they name the same place; else libpq has its own.
  fileprivate init(named lasting: String, _ said: String?, of project: Project, in world: World) throws(Failure) {
    if let said {
      self = try ResolvedStore(to: said, of: project, in: world)
      guard [self.lasting, shown].contains(lasting) else {
        throw Failure(.usage, "Another place", "The store was moved to \(lasting), and --to names \(self.lasting).")
      }
      return
    }
    for chosen in [world.variable("KEYPLAN_STORE"), nil] {
      let place = try ResolvedStore(chosen, of: project, in: world)
      guard place.lasting != lasting else {
        self = place
        return
      }
    }
    self = try ResolvedStore(to: lasting, of: project, in: world)
    guard shared?.address.isWhole ?? true else {
      throw Failure(
        .usage, "Which place was it?", "The store was moved to \(lasting), which variables of that machine completed.",
        hint: "Name the place with --to, so that it can be looked for there.")
    }
  }
}
