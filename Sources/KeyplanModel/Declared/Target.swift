/// A place outside that values are synced to and watched at.
package struct Target: Sendable {
  /// The place and the way of writing; recorded with the target, so that it can be withdrawn from after it left the manifest.
  package let destination: Destination
  /// The names and their keys or slots, in order of names.
  package let entries: [Entry]
  /// Whether values that keyplan did not write may be overwritten.
  package let takeOver: Bool
  /// Whether its names may be variables that need a permission.
  package let areUnsafeNamesAllowed: Bool
  /// Whether each of its names is a variable's.
  package let areNamesVariables: Bool
  /// The program that is run after something was written.
  package let hook: Reference?
  /// The time at which a written value takes effect.
  package let takesEffect: TakesEffect
  /// Side effects at the service that apply to this connection.
  package let notices: [TargetNotice]
  /// The mode of its file; nil for 0600 if it is created, and for the current mode if it exists.
  package let mode: FileMode?
  /// The location of the declaration.
  package let place: FileLocation?

  /// One line of a target's `keys:`.
  package struct Entry: Hashable, Sendable {
    /// The name at the target.
    package enum Name: Hashable, Sendable {
      /// This name.
      case fixed(String)
      /// The fed key's own variable: `"*"`.
      case variable
      /// A name for each provider.
      case byProvider([String: String])
    }

    /// The origin of the value.
    package enum Feed: Hashable, Sendable {
      /// Always this key.
      case key(Identifier<Key>)
      /// The active key of this slot.
      case slot(Identifier<Slot>)
    }

    /// The name at the target.
    package let name: Name
    /// The origin of the value.
    package let feed: Feed

    package init(_ name: Name, from feed: Feed) {
      self.name = name
      self.feed = feed
    }

    /// The name under which this key would be written, if it has one here.
    package func name(for facts: KeyFacts) -> String? {
      switch name {
      case .fixed(let name): name
      case .variable: facts.variable
      case .byProvider(let names): names[facts.provider]
      }
    }
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(
    destination: Destination, entries: [Entry], takeOver: Bool = false, areUnsafeNamesAllowed: Bool = false,
    areNamesVariables: Bool = false, mode: FileMode? = nil, hook: Reference? = nil, takesEffect: TakesEffect = .now,
    notices: [TargetNotice] = [], place: FileLocation? = nil
  ) {
    self.hook = hook
    self.takesEffect = takesEffect
    self.notices = notices
    self.destination = destination
    self.entries = entries
    self.takeOver = takeOver
    self.areUnsafeNamesAllowed = areUnsafeNamesAllowed
    self.areNamesVariables = areNamesVariables
    self.mode = mode
    self.place = place
  }

  /// A side effect at the service; nil for none.
  package func notice(of occasion: TargetNotice.Occasion) -> String? {
    let words = notices.filter { $0.occasion == occasion }.map(\.words)
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }

  /// Whether a reviewer is shown that a name is new here: the name of a variable that is not a credential. `env` and `run` can turn every
  /// name into a variable; for targets whose names are not variables themselves, only names in capitals count.
  package func isReviewed(_ name: String) -> Bool {
    guard areNamesVariables || !name.utf8.contains(where: { (0x61...0x7A).contains($0) }) else { return false }
    return VariableName.isValid(name) && VariableName.use(of: name) == .reviewed
  }
}

/// The place and the way of writing a target's values. Two targets never share one destination.
package struct Destination: Hashable, Sendable, Codable {
  /// The kind: `dotenv`, `json`; for a service the name of the connection.
  package let type: String
  /// The place, in the kind's own words: for files a path relative to the manifest.
  package let location: String
  /// The permission that is required before it may be read or written. Nil inside the manifest's folder.
  package let surface: ExternalAccess?

  /// - Parameter location: in the form that its type writes it, so that one place has one destination.
  package init(type: String, location: String, surface: ExternalAccess? = nil) {
    self.type = type
    self.location = location
    self.surface = surface
  }
}
