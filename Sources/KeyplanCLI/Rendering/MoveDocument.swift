internal import KeyplanCore
internal import KeyplanStore

/// `schemas/storeMove.schema.json`.
struct MoveDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let result: Result
  /// Where it stands now: at the new place, unless nothing was moved.
  let store: StoreFields
  /// The places, as they are named to people everywhere.
  let from: String
  let to: String
  let rows: Rows
  /// Absent where nothing was compared.
  var digest: String?
  /// Absent where nothing is marked.
  var marked: Mark?
  let isResumed: Bool
  /// What `store` in the manifest has to say; absent where that word is not needed.
  let setting: String?

  /// Why a move is undone.
  var lost: Loss?

  enum Result: String, Encodable { case moved, there, notMoved, undone, notUndone }

  enum Loss: String, Encodable { case unreachable, absent, anotherStore }

  struct Rows: Encodable {
    let records: Int
    let values: Int
  }

  struct Mark: Encodable {
    let place: String
    let serial: Int64
    var at: String?
  }
}

extension MoveDocument {
  init(
    _ ending: MoveTelling.Ending, _ survey: StoreMove.Survey, _ from: StorePlace, _ destination: StoreDestination
  ) {
    let (facts, result): (StoreFacts, Result) =
      switch ending {
      case .moved(let outcome): (outcome.facts, .moved)
      case .there(let facts): (facts, .there)
      case .notMoved: (survey.facts, .notMoved)
      }
    let isResumed =
      switch survey.destination {
      case .begun, .copied: true
      case .empty, .left, .there: false
      }
    let marked: Mark? =
      switch ending {
      case .moved(let outcome): Mark(place: from.lasting, serial: outcome.marked)
      case .there: Mark(place: from.lasting, serial: survey.facts.serial)
      case .notMoved: nil
      }
    self.init(
      environment: from.environment, result: result,
      store: StoreFields(StoreState(id: facts.id, serial: facts.serial, epoch: facts.epoch)), from: from.lasting,
      to: destination.place.lasting, rows: Rows(records: survey.records, values: survey.values), marked: marked,
      isResumed: isResumed, setting: destination.setting)
    if case .moved(let outcome) = ending { digest = outcome.digest }
  }
}

extension MoveDocument {
  /// - Parameter facts: which store it is now; nil while nothing was done.
  init(
    undoing left: MoveUndoing.Left, _ loss: MoveUndoing.Loss, _ facts: StoreFacts?, _ place: StorePlace,
    _ setting: String?
  ) {
    let now = facts ?? left.facts
    self.init(
      environment: place.environment, result: facts == nil ? .notUndone : .undone,
      store: StoreFields(StoreState(id: now.id, serial: now.serial, epoch: now.epoch)), from: left.to,
      to: place.lasting,
      rows: Rows(records: left.records, values: left.values),
      marked: Mark(place: place.lasting, serial: left.facts.serial, at: left.at?.description), isResumed: false,
      setting: setting)
    lost =
      switch loss {
      case .unreachable: .unreachable
      case .absent: .absent
      case .anotherStore: .anotherStore
      }
  }
}
