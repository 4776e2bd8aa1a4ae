internal import KeyplanModel
internal import KeyplanPlanning

/// Consecutive steps that go together.
enum StepGroup {
  /// One transaction on the store.
  case store([StoreStep])
  /// Side by side at places and services.
  case outside([OutsideStep])
  /// Completed sign-ins, recorded in one transaction.
  case person([PersonStep])

  /// The number of steps outside that a crash can leave open, and the number of values that they write. A transaction costs the
  /// same four synchronizations for one result as for all of a batch.
  static let batchSize = 512
  static let batchEntries = 4096
  /// In how many batches a large group is carried out. A transaction also reads the rows of all records that share a bucket of the
  /// digest with a changed one, which is nearly every record: with batches of one size the time would grow with the square of the steps.
  static let largeBatches = 8

  /// The steps in their order, in groups that are carried out together.
  static func all(_ steps: [Step]) -> [StepGroup] {
    steps.chunked { Kind($0.effect) == Kind($1.effect) }.compactMap(StepGroup.init)
  }

  /// Steps of one group outside that begin in one transaction, in their order.
  static func batches(_ group: [OutsideStep]) -> [ArraySlice<OutsideStep>] {
    var batches: [ArraySlice<OutsideStep>] = []
    var (start, entries) = (group.startIndex, 0)
    let size = min(batchEntries, max(batchSize, (group.count + largeBatches - 1) / largeBatches))
    for (index, step) in group.enumerated() {
      let own = if case .sync(_, let write) = step.effect { write.entries.count } else { 0 }
      if index - start == size || (index > start && entries + own > batchEntries) {
        batches.append(group[start..<index])
        (start, entries) = (index, 0)
      }
      entries += own
    }
    batches.append(group[start...])
    return batches
  }

  /// Nil for no steps; the others are of the first one's kind.
  private init?(_ steps: ArraySlice<Step>) {
    func typed<Kind>(_ effect: (Effect) -> Kind?) -> [TypedStep<Kind>] {
      steps.compactMap { step in effect(step.effect).map { TypedStep(step, $0) } }
    }
    switch steps.first?.effect {
    case .store: self = .store(typed { if case .store(let effect) = $0 { effect } else { nil } })
    case .outside: self = .outside(typed { if case .outside(let effect) = $0 { effect } else { nil } })
    case .person: self = .person(typed { if case .person(let effect) = $0 { effect } else { nil } })
    case nil: return nil
    }
  }

  /// Steps of the same kind are carried out together.
  private enum Kind: Equatable {
    /// Changes of the format, of recipients and of names change later fingerprints, so each has its own transaction.
    case permissions, recipients, names, revocations, records
    case outside(Phase)
    case person

    init(_ effect: Effect) {
      self =
        switch effect {
        case .store(.allow), .store(.disallow), .store(.guards): .permissions
        case .store(.rewrap): .recipients
        case .store(.key(_, .move)): .names
        // Recorded even if what replaces the value fails.
        case .store(.key(_, .revoke)): .revocations
        case .store: .records
        case .outside(let effect): .outside(effect.phase)
        case .person: .person
        }
    }
  }
}

/// A step with its effect in the type that its interpreter takes.
struct TypedStep<Effect: Sendable>: Sendable {
  @Indirect private var content: (step: Step, effect: Effect)

  init(_ step: Step, _ effect: Effect) { content = (step, effect) }

  var step: Step { content.step }
  var effect: Effect { content.effect }
}

typealias StoreStep = TypedStep<StoreEffect>
typealias OutsideStep = TypedStep<OutsideEffect>
typealias PersonStep = TypedStep<PersonEffect>

extension Array {
  /// The elements in their order, split between two that do not belong together.
  func chunked(by belongTogether: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
    var chunks: [ArraySlice<Element>] = []
    var start = startIndex
    for index in indices.dropFirst() where !belongTogether(self[index - 1], self[index]) {
      chunks.append(self[start..<index])
      start = index
    }
    if start < endIndex { chunks.append(self[start...]) }
    return chunks
  }
}
