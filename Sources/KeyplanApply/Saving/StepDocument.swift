internal import KeyplanModel
package import KeyplanPlanning

/// A step in plan files and in `plan --json`: address, effect (an `action` and its fields), cause, precondition, and the addresses
/// that must succeed first.
package struct StepDocument: Codable, Sendable {
  /// The step.
  package let step: Step

  package init(_ step: Step) { self.step = step }

  private enum Field: String, CodingKey { case address, effect, cause, ground, after }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(step.address, forKey: .address)
    try fields.encode(step.cause, forKey: .cause)
    try fields.encode(step.ground, forKey: .ground)
    try fields.encode(step.after, forKey: .after)
    var effect = fields.nestedContainer(keyedBy: EffectField.self, forKey: .effect)
    try effect.encode(step.effect.action.rawValue, forKey: .action)
    switch step.effect {
    case .store(let change): try change.encode(to: &effect)
    case .outside(let change): try change.encode(to: &effect)
    case .person(let action): try action.encode(to: &effect)
    }
  }

  /// Reads what `encode` writes. Rejects an action that its address cannot have.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let address = try fields.decode(Address.self, forKey: .address)
    let particular = try fields.nestedContainer(keyedBy: EffectField.self, forKey: .effect)
    let action = Action(rawValue: try particular.decode(String.self, forKey: .action))
    guard let action, let effect = try Self.effect(action, at: address, particular) else {
      throw DecodingError.dataCorruptedError(
        forKey: .action, in: particular, debugDescription: "This action is not known at this address.")
    }
    step = Step(
      effect, because: try fields.decode(Cause.self, forKey: .cause),
      on: try fields.decode(Precondition.self, forKey: .ground),
      after: try fields.decode([Address].self, forKey: .after))
  }

  private static func effect(_ action: Action, at address: Address, _ fields: EffectFields) throws -> Effect? {
    if let effect = try StoreEffect(action, at: address, fields) { return .store(effect) }
    if let effect = try OutsideEffect(action, at: address, fields) { return .outside(effect) }
    return try PersonEffect(action, at: address, fields).map(Effect.person)
  }
}

/// The fields of effects of all kinds.
enum EffectField: String, CodingKey {
  case action, from, key, was, write, target, removal, recipients, rollback, restoration, acceptance
  case hook, need, refresh, selection, signOut, account, calendar, grant, guards
  case revocation, purge, mint, late, keys, manual
}

typealias EffectFields = KeyedDecodingContainer<EffectField>

extension EffectFields {
  func callAsFunction<Value: Decodable>(_ field: EffectField) throws -> Value { try decode(Value.self, forKey: field) }
}

/// The fields of a step for the plan's id. They differ whenever the steps do: an absent value has no field, and an absent list is
/// told apart from an empty one by a field of its own. Numbers need not be kept between versions, since an id is compared with that of
/// a plan made by the same version.
extension ByteWriter {
  mutating func fields(of step: Step) {
    field(1, text: step.address.description)
    field(2, text: step.cause.rawValue)
    field(3, text: step.effect.action.rawValue)
    field(4) { writer in
      switch step.effect {
      case .store(let effect): writer.fields(of: effect)
      case .outside(let effect): writer.fields(of: effect)
      case .person(let effect): writer.fields(of: effect)
      }
    }
    field(5) { $0.fields(of: step.ground) }
    for address in step.after { field(6, text: address.description) }
  }

  private mutating func fields(of ground: Precondition) {
    if let revision = ground.revision { field(1, number: revision) }
    field(2, fingerprint: ground.source)
    field(3, text: ground.content)
    if let target = ground.target {
      field(4, if: true)
      for (name, fingerprint) in target.sorted(by: { $0.key < $1.key }) {
        field(5) { writer in
          writer.text(name)
          writer.raw(fingerprint.bytes)
        }
      }
    }
    if let marks = ground.marks {
      field(6, if: true)
      for (name, mark) in marks.sorted(by: { $0.key < $1.key }) { field(7, pair: name, mark) }
    }
  }
}
