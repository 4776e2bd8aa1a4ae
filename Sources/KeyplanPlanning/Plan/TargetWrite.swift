package import KeyplanModel

/// Values to be written to one target.
package struct TargetWrite: Hashable, Sendable, Codable {
  package let destination: Destination
  /// The names to write, sorted.
  package let entries: [Entry]
  /// The number of names at the target afterwards.
  package let total: Int
  /// The mode that the file gets; nil if it keeps its own, and for a new file of mode 0600.
  package let mode: ModeChange?
  /// The time at which the written values take effect; nil for immediately.
  package let takesEffect: TakesEffect?
  /// A side effect at the service; nil for none.
  package let notice: String?
  /// The names that are new at this target and that a reviewer should see, because they are variables, and not those of
  /// credentials; sorted, nil if there are none.
  package let newVariables: [String]?

  /// The change of a file's mode.
  package struct ModeChange: Hashable, Sendable, Codable {
    /// Nil for a file that is made, or was not looked at.
    package let was: FileMode?
    /// As the manifest declares it.
    package let mode: FileMode

    package init(was: FileMode?, to mode: FileMode) {
      self.was = was
      self.mode = mode
    }

    /// Whether the change grants access to other users.
    package var isLoosening: Bool { mode.isOpen(beyond: was) }
  }

  /// One value.
  package struct Entry: Hashable, Sendable, Codable {
    /// The name at the target.
    package let name: String
    /// The key whose value is written.
    package let key: Identifier<Key>
    package let reason: Reason

    package init(name: String, key: Identifier<Key>, reason: Reason) {
      self.name = name
      self.key = key
      self.reason = reason
    }
  }

  /// The reason for writing a value.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The name is not there yet.
    case new
    /// The value is already there; it is only recorded.
    case alreadyThere
    /// A value that keyplan did not write is overwritten, as allowed.
    case takeOver
    /// The key has a new value, or another key feeds the name.
    case keyChanged
    /// It was changed at the target.
    case changedThere
    /// It was removed at the target.
    case missingThere
    /// The value at the target cannot be read.
    case notReadable
    /// A value is there and was not compared; the apply overwrites it only if that is allowed.
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
  package let destination: Destination
  /// The names that are removed, sorted.
  package let names: [String]
  /// The names that are only removed from the record, because they are missing or have another owner's value, sorted.
  package let released: [String]
  /// Whether the target moves elsewhere; the old place is then cleared before the new one is written, so that the record always names the
  /// place of the values.
  package let isMove: Bool
  /// A side effect at the service; nil for none.
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
