package import KeyplanModel
package import KeyplanSecrets

/// A kind of place that secrets are written to. Writing is idempotent.
package protocol SecretTarget: Sendable {
  /// The name of its backend, and the properties of its places.
  var backend: BackendDescription { get }

  /// The connection that it uses; nil for a backend of this machine.
  var connection: Connection? { get }

  /// Reads the values or marks under the names, and finds what blocks writing, in one pass. Changes nothing outside.
  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight

  /// Sets and removes names; nothing else changes.
  /// - Returns: the result for each name of the changes; a missing one counts as *unknown*.
  /// - Throws: `AccessFailure` if nothing was changed at all.
  func write(_ changes: TargetChanges, at destination: Destination) async throws(AccessFailure) -> [String: WriteResult]

  /// Removes files that an interrupted write of this program left next to the place. By default there are none.
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

/// A query about a place.
package struct TargetQuestion: Sendable {
  /// The names whose values or marks are read; no others are.
  package let names: Set<String>
  /// The names that may be changed, so that obstacles are looked for; nil for none.
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

  /// Contains only the arguments.
  package init(names: Set<String> = [], intent: Intent? = nil) {
    self.names = names
    self.intent = intent
  }
}

/// The answer to a query about a place.
package struct TargetSight: Sendable {
  /// The values or marks at the place under the names.
  package var answer: TargetAnswer
  /// Obstacles to writing, as far as they show without writing and without a value.
  package var writeBlockers: WriteBlockers
  /// The mode of the target's file; nil if there is none, or if the target is not a file.
  package var mode: FileMode?
  /// The permanent id of the place, which does not change when it is renamed: a repository's number. Nil if it has none.
  package var placeId: String?

  /// Without obstacles except those that are passed.
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

/// The contents of a target's place.
package enum TargetAnswer: Sendable {
  /// By name; a name that is not in it is not there.
  case values([String: TargetValue])
  /// It does not show values: the mark of each name that is there; a nil mark means only that the name exists.
  case marks([String: Mark?])
  /// It was unreachable, or is unusable in its current state.
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

/// The result for one name.
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

/// The content of a target under one name.
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

/// The names to set and to remove; no name is in both.
package struct TargetChanges: Sendable {
  /// The values to set, in order of names.
  package let set: [(name: String, value: SecretBox)]
  /// The names to remove; a missing one is not an error.
  package let remove: [String]
  /// The mode that the file gets; nil if it keeps its own.
  package let mode: FileMode?
  /// The mark that each name showed at planning, for places that can compare as they write; a name that is not included did not exist there.
  /// Nil if marks were not read.
  package let expected: [String: Mark?]?
  /// The names whose values may be taken over from other writers, for places that record who set each value.
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
