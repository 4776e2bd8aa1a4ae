package import KeyplanModel

/// A move of the store to another place: the state before and, at its end, the result.
package struct MoveReport: Sendable {
  package let environment: String?
  package let store: StoreState
  package let from: StorePlaceName
  package let to: StorePlaceName
  /// The numbers of rows of records and of values.
  package let rows: StoreRows
  package let destination: Destination
  /// The schema in which the move makes keyplan's tables; nil if none are missing.
  package let makesTablesIn: String?
  package let setting: StoreSetting

  /// The contents of the new place.
  package enum Destination: Sendable {
    case empty
    /// An incomplete copy from an earlier move.
    case begun
    /// This store, before it was moved away from there.
    case left
    /// A complete copy; only the last step of an earlier move is missing.
    case copied
    /// The store itself.
    case there
  }

  package enum Ending: Sendable {
    /// - Parameters:
    ///   - digest: SHA-256 over the records common to both places, in hexadecimal.
    ///   - marked: the serial of the commit that marked the old place.
    case moved(StoreState, digest: String?, marked: Int64)
    /// It was there before.
    case there(StoreState)
    /// A dry run.
    case notMoved
  }

  package init(
    environment: String?, store: StoreState, from: StorePlaceName, to: StorePlaceName, rows: StoreRows,
    destination: Destination, makesTablesIn: String?, setting: StoreSetting
  ) {
    self.environment = environment
    self.store = store
    self.from = from
    self.to = to
    self.rows = rows
    self.destination = destination
    self.makesTablesIn = makesTablesIn
    self.setting = setting
  }
}

/// The undoing of a move: the place that the store was moved away from is the store again.
package struct MoveUndoReport: Sendable {
  package let environment: String?
  /// The state of the store when it was moved away.
  package let store: StoreState
  package let place: StorePlaceName
  package let rows: StoreRows
  /// The time at which it was moved away; nil if unknown.
  package let movedAt: Moment?
  /// The place that it was moved to.
  package let lostPlace: String
  package let loss: Loss
  /// The accounts whose tokens may have been replaced at the lost place.
  package let accounts: [Identifier<Account>]
  /// Whether keyplan.lock names the store.
  package let isPinned: Bool
  package let setting: StoreSetting

  /// The reason that the store is not at its new place.
  package enum Loss: Sendable {
    /// The place did not answer; the reason is a sentence.
    case unreachable(String)
    /// There is no store there.
    case absent
    /// There is another store there.
    case anotherStore
  }

  package init(
    environment: String?, store: StoreState, place: StorePlaceName, rows: StoreRows, movedAt: Moment?,
    lostPlace: String, loss: Loss, accounts: [Identifier<Account>], isPinned: Bool, setting: StoreSetting
  ) {
    self.environment = environment
    self.store = store
    self.place = place
    self.rows = rows
    self.movedAt = movedAt
    self.lostPlace = lostPlace
    self.loss = loss
    self.accounts = accounts
    self.isPinned = isPinned
    self.setting = setting
  }
}

/// A move that was undone already.
package struct UndoneMoveReport: Sendable {
  package let environment: String?
  /// The current state of the store.
  package let store: StoreState
  package let place: StorePlaceName
  package let rows: StoreRows
  /// The place where it was lost.
  package let lostPlace: String
  package let undoneAt: Moment

  package init(
    environment: String?, store: StoreState, place: StorePlaceName, rows: StoreRows, lostPlace: String, undoneAt: Moment
  ) {
    self.environment = environment
    self.store = store
    self.place = place
    self.rows = rows
    self.lostPlace = lostPlace
    self.undoneAt = undoneAt
  }
}

/// A place of a store in words.
package struct StorePlaceName: Hashable, Sendable {
  /// As it was named here.
  package let shown: String
  /// As people elsewhere know it, without user and password.
  package let lasting: String

  package init(shown: String, lasting: String) {
    self.shown = shown
    self.lasting = lasting
  }
}

package struct StoreRows: Hashable, Sendable {
  package let records: Int
  package let values: Int

  package init(records: Int, values: Int) {
    self.records = records
    self.values = values
  }
}

/// The settings that name the place of the store from now on.
package struct StoreSetting: Sendable {
  /// The required value of `store` in the manifest; nil if it must be absent.
  package let line: String?
  /// The file of the manifest that must contain it.
  package let file: String
  /// Whether the manifest contains it already.
  package let isSet: Bool
  /// Whether that file contains another one.
  package let replacesLine: Bool
  /// Whether `KEYPLAN_STORE` is set, and names the place that the store has left.
  package let isVariableOld: Bool

  package init(line: String?, file: String, isSet: Bool, replacesLine: Bool, isVariableOld: Bool) {
    self.line = line
    self.file = file
    self.isSet = isSet
    self.replacesLine = replacesLine
    self.isVariableOld = isVariableOld
  }
}
