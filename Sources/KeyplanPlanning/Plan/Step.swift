package import KeyplanModel

/// One effect on the outside or on the store, as data: it can be saved, reviewed, compared and carried out.
package struct Step: Hashable, Sendable {
  /// The action and its subject.
  package let effect: Effect
  package let cause: Cause
  /// The state that it was planned against.
  package let ground: Precondition
  /// The addresses whose steps must have succeeded before; those without a step are not waited for.
  package let after: [Address]

  package init(
    _ effect: Effect, because cause: Cause, on ground: Precondition = Precondition(), after: [Address] = []
  ) {
    self.effect = effect
    self.cause = cause
    self.ground = ground
    self.after = after
  }

  /// The address that it changes.
  package var address: Address { effect.subject }
}

/// The reason for a step. A pending change of the manifest is never drift, and drift is never a change.
package enum Cause: String, Sendable, Codable, CaseIterable {
  /// The manifest was changed.
  case manifest
  /// A source has another value.
  case sourceChanged
  /// A written value was changed outside of keyplan.
  case drift
  /// A key expired.
  case expiry
  /// A key's value was revoked.
  case revocation
  /// A key's provider does not accept it.
  case check
  /// A step that this one belongs to needs it.
  case follows
  /// An earlier run was interrupted here.
  case interrupted
  /// A migration is carried out.
  case migration
  /// A person gave a value.
  case byHand
}

/// The state that a step was planned against. It is read again just before the step; if it has changed, the step is stale.
package struct Precondition: Hashable, Sendable, Codable {
  /// The record's revision; nil if there was no record.
  package var revision: Int64?
  /// The value of the source; nil if it is known at apply only.
  package var source: Fingerprint?
  /// The digest of the source's file, if the content was not compared.
  package var content: String?
  /// The value of the target under each name that the step touches; a name that is not included did not exist there.
  package var target: [String: Fingerprint]?
  /// The mark that the target showed under each name, if its values cannot be read; empty for none.
  package var marks: [String: String]?

  /// Contains only the arguments.
  package init(
    revision: Int64? = nil, source: Fingerprint? = nil, content: String? = nil, target: [String: Fingerprint]? = nil,
    marks: [String: String]? = nil
  ) {
    self.marks = marks
    self.revision = revision
    self.source = source
    self.content = content
    self.target = target
  }
}
