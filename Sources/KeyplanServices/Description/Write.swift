import KeyplanJSON
package import KeyplanModel

extension SecretAPI {
  /// A request that sets or deletes one name.
  package struct Write: Hashable, Sendable {
    package var request: Request
    /// The mark that the answer shows for the new value.
    package var mark: Extract?
    /// Sent first for a name that is absent.
    package var before: [Request] = []
    /// Values of the answer that later reads of the run send, such as the version that they must not be older than.
    package var yields: [Named<Extract>] = []
  }

  /// A request that sets, and perhaps deletes, several names.
  package struct WriteMany: Hashable, Sendable {
    package var request: Request
    /// The maximum number of names in one request.
    package var most = 100
    /// Names that failed alone in an answer that is a success.
    package var failed: Failures?
    /// Sent instead if a whole object would be left without a member.
    package var whenEmpty: Request?
    /// Values of the answer that later reads of the run send.
    package var yields: [Named<Extract>] = []

    package var tree: BodyTree? { if case .json(let tree) = request.body { tree } else { nil } }
    /// Whether it replaces the whole object.
    package var replacesAll: Bool { tree?.sets.contains(.all) ?? false }
    /// Whether it also deletes names.
    package var deletes: Bool { replacesAll || (tree?.takesRemovals ?? false) }
  }
}

extension SecretAPI {
  /// The part of a write that a read shows. Single entries may show less: hidden ones have a mark, or only their name.
  package var readsBack: TargetGrammar.ReadBack { showsValues ? .values : showsMarks ? .marks : .presence }
  package var showsValues: Bool { reads.contains { $0.shapes.contains { $0.value != nil } } }
  package var showsMarks: Bool {
    reads.contains {
      $0.shapes.contains { $0.mark != nil || $0.version != nil } || $0.entries.contains { $0.commonVersion != nil }
    }
  }
  /// Whether anything can be written.
  package var isWritable: Bool { put != nil || create != nil || putMany != nil }
  /// Whether names can be deleted.
  package var isDeletable: Bool { delete != nil || putMany?.deletes ?? false }
  package var reads: [Read] { [list, readMany, read].compactMap { $0 } }
}
