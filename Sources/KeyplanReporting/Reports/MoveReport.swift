package import KeyplanModel

/// A move of the store to another place: what it found and, at its end, how it ended.
package struct MoveReport: Sendable {
  package let environment: String?
  package let store: StoreState
  package let from: StorePlaceName
  package let to: StorePlaceName
  /// How many rows of records and of values there are.
  package let rows: StoreRows
  package let destination: Destination
  /// The schema in which the move makes keyplan's tables; nil where none are missing.
  package let makesTablesIn: String?
  package let setting: StoreSetting

  /// What is at the new place.
  package enum Destination: Sendable {
    case empty
    /// What an earlier move began to copy.
    case begun
    /// This store, before it was moved away from there.
    case left
    /// All of it; only the last step of an earlier move is missing.
    case copied
    /// The store itself.
    case there
  }

  package enum Ending: Sendable {
    /// - Parameters:
    ///   - digest: SHA-256 over what both places have in common, in hexadecimal.
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
  /// The store as it was when it was moved away.
  package let store: StoreState
  package let place: StorePlaceName
  package let rows: StoreRows
  /// When it was moved away; nil where that is not known.
  package let movedAt: Moment?
  /// Where it was moved to.
  package let lostPlace: String
  package let loss: Loss
  /// The accounts whose tokens may have been replaced at the lost place.
  package let accounts: [Identifier<Account>]
  /// Whether keyplan.lock names the store.
  package let isPinned: Bool
  package let setting: StoreSetting

  /// Why the store is not where it was moved to.
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
  /// The store as it is.
  package let store: StoreState
  package let place: StorePlaceName
  package let rows: StoreRows
  /// Where it was lost.
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

/// How the store is found from now on.
package struct StoreSetting: Sendable {
  /// What `store` in the manifest must say; nil where it must say nothing.
  package let line: String?
  /// The file of the manifest in which it must say so.
  package let file: String
  /// Whether the manifest says so already.
  package let isSet: Bool
  /// Whether that file says something else.
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
