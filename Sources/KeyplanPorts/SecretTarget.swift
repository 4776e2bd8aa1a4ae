package import KeyplanModel
package import KeyplanSecrets

/// A kind of place that secrets are written to. Writing the same twice leaves what writing it once leaves.
package protocol SecretTarget: Sendable {
  /// What it is called, and what its place can do.
  var backend: BackendDescription { get }

  /// The connection that it uses; nil for a backend of this machine.
  var connection: Connection? { get }

  /// Reads the values or marks under the names, and finds what blocks writing, in one pass. Changes nothing outside.
  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight

  /// Sets and removes names; nothing else changes.
  /// - Returns: what became of each name of the changes; one that is missing counts as *unknown*.
  /// - Throws: `AccessFailure` where nothing was changed at all.
  func write(_ changes: TargetChanges, at destination: Destination) async throws(AccessFailure) -> [String: WriteResult]

  /// Removes what an interrupted write of this program left beside the place. By default there is nothing.
  func removeLeftovers(at destination: Destination) async
}

extension SecretTarget {
  /// None.
  package var connection: Connection? { nil }

  /// Does nothing.
  package func removeLeftovers(at destination: Destination) async {}

  /// The type of the destinations that it has.
  package var scheme: String { connection?.name.name ?? backend.name }

  /// Reads the values or marks under these names.
  package func read(_ names: Set<String>, at destination: Destination) async -> TargetAnswer {
    await look(TargetQuestion(names: names), at: destination).answer
  }
}

/// What is to be found out at a place.
package struct TargetQuestion: Sendable {
  /// The names whose values or marks are read; no others are.
  package let names: Set<String>
  /// What may be changed, so that what is in the way is to be found out; nil where nothing is.
  package let intent: Intent?

  /// The names that may be changed.
  package struct Intent: Sendable {
    /// Those that may be set.
    package let setting: Set<String>
    /// Those that may be removed.
    package let removing: Set<String>

    /// No name is in both.
    package init(setting: Set<String>, removing: Set<String>) {
      self.setting = setting
      self.removing = removing
    }
  }

  /// Asks for nothing but what is given.
  package init(names: Set<String> = [], intent: Intent? = nil) {
    self.names = names
    self.intent = intent
  }
}

/// What was found out at a place.
package struct TargetSight: Sendable {
  /// What the place holds under the names.
  package var answer: TargetAnswer
  /// What is in the way of writing, as far as that shows without writing and without a value.
  package var writeBlockers: WriteBlockers
  /// The mode of the target's file; nil if there is none, or if the target is not a file.
  package var mode: FileMode?
  /// What identifies the place for good, whatever it is called: a repository's number. Nil where nothing does.
  package var placeId: String?

  /// Nothing in the way but what is given.
  package init(
    _ answer: TargetAnswer, writeBlockers: WriteBlockers = WriteBlockers(), mode: FileMode? = nil,
    placeId: String? = nil
  ) {
    self.answer = answer
    self.writeBlockers = writeBlockers
    self.mode = mode
    self.placeId = placeId
  }
}

/// What a target's place holds.
package enum TargetAnswer: Sendable {
  /// By name; a name that is not in it is not there.
  case values([String: TargetValue])
  /// It does not show values: the mark of each name that is there; a nil mark says only that it is.
  case marks([String: Mark?])
  /// It could not be asked, or cannot be used as it is.
  case failed(AccessFailure)
}

extension TargetAnswer {
  /// The same without names whose value is empty or white space, such as the placeholders of a copied `.env.example`.
  package var withoutPlaceholders: TargetAnswer {
    guard case .values(let values) = self else { return self }
    return .values(
      values.filter { value in
        guard case .text(let text) = value.value, let fault = text.withBytes({ ValueFault(in: $0) }) else {
          return true
        }
        return !ValueFault.vacant.contains(fault)
      })
  }
}

/// What became of one name.
package enum WriteResult: Hashable, Sendable {
  /// It is as it should be; with the mark that the place now shows for it, if the write returns it.
  case done(mark: Mark? = nil)
  /// Its mark is not the one that the changes expect; it is as it was.
  case stale
  /// It is as it was.
  case refused(AccessFailure)
  /// Unknown whether it was written: the answer was lost. The reason is a sentence without a value.
  case unknown(String)
}

/// What a target holds under one name.
package enum TargetValue: Sendable {
  /// A string.
  case text(SecretBox)
  /// Something that no key's value can be, such as a number or an object.
  case other
  /// Something that could not be read, although others at the place could.
  case failed(AccessFailure)
}

extension TargetAnswer {
  /// An answer with values and with failures of single names. Failures of every name, and failures that do not depend on the name, count
  /// as failures of the place.
  package init(_ values: [String: TargetValue], failures: [String: AccessFailure], of asked: some Collection) {
    let isOfPlace = failures.count == asked.count
    let ofPlace = failures.filter { _, failure in
      switch failure.kind {
      case .unreadable, .denied: isOfPlace
      case .unauthenticated, .throttled, .sealed, .unreachable: true
      }
    }
    if let (name, failure) = ofPlace.min(by: { $0.key < $1.key }) {
      self = .failed(failure.at(name))
    } else {
      self = .values(values.merging(failures.mapValues { .failed($0) }) { $1 })
    }
  }
}

/// What to set and what to remove; no name is in both.
package struct TargetChanges: Sendable {
  /// The values to set, in order of names.
  package let set: [(name: String, value: SecretBox)]
  /// The names to remove; a missing one is not an error.
  package let remove: [String]
  /// The mode that the file gets; nil where it keeps its own.
  package let mode: FileMode?
  /// The mark that each name showed when this was decided, for places that can compare as they write; a name that is not in it was
  /// not there. Nil where that was not looked at.
  package let expected: [String: Mark?]?
  /// The names whose values may be taken over from others, for places that record who set each value.
  package let takesOver: Set<String>

  /// No name may occur twice.
  package init(
    set: [(name: String, value: SecretBox)], remove: [String], mode: FileMode? = nil,
    expected: [String: Mark?]? = nil, takesOver: Set<String> = []
  ) {
    self.expected = expected
    self.takesOver = takesOver
    self.set = set
    self.remove = remove
    self.mode = mode
  }
}

extension TargetChanges {
  /// The names that are set or removed.
  package var names: [String] { self.set.map(\.name) + remove }

  /// The same result for every name.
  package func all(_ result: WriteResult) -> [String: WriteResult] {
    Dictionary(names.map { ($0, result) }) { first, _ in first }
  }
}
