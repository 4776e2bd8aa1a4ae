package import KeyplanModel

/// `schemas/storeMove.schema.json`.
package struct MoveDocument: Encodable {
  package let formatVersion = 1
  package let environment: String?
  package let result: Result
  /// The store in its current place: the new one, unless nothing was moved.
  package let store: StoreFields
  /// The places, as they are named on every machine.
  package let from: String
  package let to: String
  package let rows: Rows
  /// Absent if nothing was compared.
  package let digest: String?
  /// Absent if nothing is marked.
  package let marked: Mark?
  package let isResumed: Bool
  /// The required value of `store` in the manifest; absent if none is needed.
  package let setting: String?
  /// The reason for undoing a move; absent for a move.
  package let lost: Loss?

  package enum Result: String, Encodable { case moved, there, notMoved, undone, notUndone }

  package enum Loss: String, Encodable { case unreachable, absent, anotherStore }

  package struct Rows: Encodable {
    package let records: Int
    package let values: Int

    package init(_ rows: StoreRows) { (records, values) = (rows.records, rows.values) }
  }

  package struct Mark: Encodable {
    package let place: String
    package let serial: Int64
    package var at: String?
  }

  package init(_ report: MoveReport, _ ending: MoveReport.Ending) {
    environment = report.environment
    (from, to) = (report.from.lasting, report.to.lasting)
    rows = Rows(report.rows)
    setting = report.setting.line
    isResumed =
      switch report.destination {
      case .begun, .copied: true
      case .empty, .left, .there: false
      }
    lost = nil
    switch ending {
    case .moved(let now, let digest, let serial):
      (result, store) = (.moved, StoreFields(now))
      (self.digest, marked) = (digest, Mark(place: report.from.lasting, serial: serial))
    case .there(let now):
      (result, store) = (.there, StoreFields(now))
      (digest, marked) = (nil, Mark(place: report.from.lasting, serial: report.store.serial))
    case .notMoved:
      (result, store) = (.notMoved, StoreFields(report.store))
      (digest, marked) = (nil, nil)
    }
  }

  package init(_ report: UndoneMoveReport) {
    environment = report.environment
    (result, store) = (.undone, StoreFields(report.store))
    (from, to) = (report.lostPlace, report.place.lasting)
    rows = Rows(report.rows)
    (digest, marked, setting, lost) = (nil, nil, nil, nil)
    isResumed = false
  }

  /// - Parameter now: the current state of the store; nil while nothing was done.
  package init(undoing report: MoveUndoReport, _ now: StoreState?) {
    environment = report.environment
    result = now == nil ? .notUndone : .undone
    store = StoreFields(now ?? report.store)
    (from, to) = (report.lostPlace, report.place.lasting)
    rows = Rows(report.rows)
    digest = nil
    marked = Mark(place: report.place.lasting, serial: report.store.serial, at: report.movedAt?.description)
    isResumed = false
    setting = report.setting.line
    lost =
      switch report.loss {
      case .unreachable: .unreachable
      case .absent: .absent
      case .anotherStore: .anotherStore
      }
  }
}
