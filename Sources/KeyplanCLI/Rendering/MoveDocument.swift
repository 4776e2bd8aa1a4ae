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

  enum Result: String, Encodable { case moved, there, notMoved }

  struct Rows: Encodable {
    let records: Int
    let values: Int
  }

  struct Mark: Encodable {
    let place: String
    let serial: Int64
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
