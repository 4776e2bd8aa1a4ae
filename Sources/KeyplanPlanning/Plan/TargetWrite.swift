package import KeyplanModel

/// Values to be written to one target.
package struct TargetWrite: Hashable, Sendable, Codable {
  /// Where.
  package let destination: Destination
  /// What, sorted by name.
  package let entries: [Entry]
  /// How many names the target has when all is done.
  package let total: Int
  /// The mode that the file gets; nil where it keeps its own, and for a new file of mode 0600.
  package let mode: ModeChange?
  /// When what is written is in use; nil for at once.
  package let takesEffect: TakesEffect?
  /// What the service does besides; nil for nothing.
  package let notice: String?
  /// The names that are new at this target and that a reviewer should see, because they are variables, and not those of
  /// credentials; sorted, nil if there are none.
  package let newVariables: [String]?

  /// What becomes of a file's mode.
  package struct ModeChange: Hashable, Sendable, Codable {
    /// Nil for a file that is made, or was not looked at.
    package let was: FileMode?
    /// As the manifest declares it.
    package let mode: FileMode

    package init(was: FileMode?, to mode: FileMode) {
      self.was = was
      self.mode = mode
    }

    /// Whether others get access that they did not have.
    package var isLoosening: Bool { mode.isOpen(beyond: was) }
  }

  /// One value.
  package struct Entry: Hashable, Sendable, Codable {
    /// The name at the target.
    package let name: String
    /// The key whose value is written.
    package let key: Identifier<Key>
    /// Why.
    package let reason: Reason

    package init(name: String, key: Identifier<Key>, reason: Reason) {
      self.name = name
      self.key = key
      self.reason = reason
    }
  }

  /// Why a value is written.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The name is not there yet.
    case new
    /// The value is already there; it is only recorded.
    case alreadyThere
    /// Somebody else's value is overwritten, with leave.
    case takeOver
    /// The key has a new value, or another key feeds the name.
    case keyChanged
    /// Somebody changed it at the target.
    case changedThere
    /// Somebody removed it at the target.
    case missingThere
    /// What the target holds cannot be read.
    case notReadable
    /// Something is there and was not compared; the apply takes it over only where that is allowed.
    case notCompared
  }

  package init(
    destination: Destination, entries: [Entry], total: Int, mode: ModeChange? = nil, takesEffect: TakesEffect? = nil,
    notice: String? = nil,
    newVariables: [String] = []
  ) {
    self.notice = notice
    self.destination = destination
    self.entries = entries
    self.total = total
    self.mode = mode
    self.takesEffect = takesEffect == .now ? nil : takesEffect
    self.newVariables = newVariables.isEmpty ? nil : newVariables
  }
}

/// Names to be removed from one target.
package struct TargetRemoval: Hashable, Sendable, Codable {
  /// Where.
  package let destination: Destination
  /// The names that are removed, sorted.
  package let names: [String]
  /// The names that are only removed from the record, because they are missing or have another owner's value, sorted.
  package let released: [String]
  /// Whether the target moves elsewhere; the old place is then cleared before the new one is written, so that the record
  /// always says where values are.
  package let isMove: Bool
  /// What the service does besides; nil for nothing.
  package let notice: String?

  package init(
    destination: Destination, names: [String], released: [String], isMove: Bool = false, notice: String? = nil
  ) {
    self.notice = names.isEmpty ? nil : notice
    self.destination = destination
    self.names = names
    self.released = released
    self.isMove = isMove
  }
}
