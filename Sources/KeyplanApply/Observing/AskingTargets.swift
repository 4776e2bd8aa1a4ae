internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Observer {
  /// Reads every declared and every recorded place, under the names that are or were keyplan's, and asks what is in the way
  /// of writing there.
  func askTargets(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?, within limits: ObservationLimits
  ) async -> FoundTargets {
    let questions = Self.questions(manifest, recorded, only: selection)
    let declared = Self.questions(manifest, Recorded(), only: selection)
    let known = limits.isTrusted ? questions : Self.questions(nil, recorded, only: selection)
    let uncompared = limits.uncompared(Array(questions.keys))
    return await withTaskGroup(of: (Destination, Sight).self) { group in
      for (destination, names) in questions {
        let isAllowed = limits.permits(destination)
        let set = Set((declared[destination] ?? [:]).keys)
        let intent = TargetQuestion.Intent(setting: set, removing: Set(names.keys).subtracting(set))
        group.addTask {
          guard isAllowed else { return (destination, Sight(finding: .notAllowed)) }
          guard !limits.runsUntrusted(destination), limits.mayAsk(destination) else {
            return (destination, Sight(finding: .notAskedHere))
          }
          var sight: Sight
          if uncompared.contains(destination) {
            sight = await look(destination, [:], meaning: intent)
            sight.finding = .notAskedHere
          } else {
            sight = await look(destination, names, comparing: known[destination] ?? [:], meaning: intent)
          }
          if !limits.mayQuote(destination) { sight.withholdContent() }
          return (destination, sight)
        }
      }
      return await group.reduce(into: FoundTargets()) { all, answer in
        all.findings[answer.0] = answer.1.finding
        all.writeBlockers[answer.0] = answer.1.writeBlockers.isEmpty ? nil : answer.1.writeBlockers
        all.modes[answer.0] = answer.1.mode
        all.placeIds[answer.0] = answer.1.placeId
      }
    }
  }

  /// The findings at the places of targets.
  struct FoundTargets {
    var findings: [Destination: TargetFinding] = [:]
    var writeBlockers: [Destination: WriteBlockers] = [:]
    var modes: [Destination: FileMode] = [:]
    var placeIds: [Destination: String] = [:]
  }

  /// The finding at one place.
  struct Sight {
    var finding: TargetFinding
    var writeBlockers = WriteBlockers()
    var mode: FileMode?
    var placeId: String?

    /// Drops what the reasons say about the content of a file.
    mutating func withholdContent() {
      let withheld = AccessFailure(
        .unreadable, "The file cannot be edited there.", hint: "Plan it in a trusted checkout to see why.")
      switch finding {
      case .failed(let failure) where failure.isAboutContent: finding = .failed(withheld)
      case .entries(let found): finding = .entries(found.mapValues { $0.withheld(by: withheld) })
      case .failed, .marks, .notAllowed, .notAskedHere: break
      }
      writeBlockers = writeBlockers.withheld(by: withheld)
    }
  }

  /// The content of one place, each value as fingerprints in the domain of every key that might feed its name, and the obstacles to
  /// changing it.
  ///
  /// - Parameter compared: the keys, by name, that values are compared with; nil for all of `names`. The others are only told to
  ///   be there.
  func look(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>],
    comparing compared: [String: Set<Identifier<Key>>]? = nil,
    meaning intent: TargetQuestion.Intent? = nil
  ) async -> Sight {
    guard let target = targets[destination.type] else {
      let reason = "\(destination.type) is neither a declared connection nor a type of targets that keyplan supports."
      return Sight(finding: .failed(AccessFailure(.unreadable, reason)))
    }
    hear(.began(destination.location))
    defer { hear(.ended(destination.location)) }
    let sight = await target.look(TargetQuestion(names: Set(names.keys), intent: intent), at: destination)
    // What cannot be read is not written either, so that nothing else can be in the way.
    let isKnown = if case .failed = sight.answer { names.isEmpty } else { true }
    return Sight(
      finding: finding(sight.answer, names, compared), writeBlockers: isKnown ? sight.writeBlockers : WriteBlockers(),
      mode: sight.mode, placeId: sight.placeId)
  }

  private func finding(
    _ answer: TargetAnswer, _ names: [String: Set<Identifier<Key>>], _ compared: [String: Set<Identifier<Key>>]?
  ) -> TargetFinding {
    switch answer.withoutPlaceholders {
    case .failed(let failure): return .failed(failure)
    case .marks(let marks): return .marks(marks.filter { names[$0.key] != nil })
    case .values(let values):
      var found: [String: FoundEntry] = [:]
      for (name, value) in values {
        let asked = names[name] ?? []
        if case .failed(let failure) = value {
          found[name] = FoundEntry(failure, of: asked)
          continue
        }
        let comparing = compared.map { asked.intersection($0[name] ?? []) } ?? asked
        var prints: [Identifier<Key>: Fingerprint] = [:]
        if case .text(let secret) = value {
          for key in comparing { prints[key] = fingerprints.fingerprint(secret, of: key) }
        }
        found[name] = FoundEntry(prints, uncompared: asked.subtracting(comparing))
      }
      return .entries(found)
    }
  }

  /// - Parameter manifest: what is declared; nil for what is recorded alone.
  private static func questions(
    _ manifest: Manifest?, _ recorded: Recorded, only selection: Selection?
  ) -> [Destination: [String: Set<Identifier<Key>>]] {
    var questions: [Destination: [String: Set<Identifier<Key>>]] = [:]
    let unsupported = Set(manifest?.unsupported.map(\.address) ?? [])
    for (id, target) in manifest?.targets ?? [:]
    where !unsupported.contains(.target(id)) && selection?.contains(.target(id)) ?? true {
      var names: [String: Set<Identifier<Key>>] = [:]
      for entry in target.entries {
        let candidates: [Identifier<Key>]
        switch entry.feed {
        case .key(let key): candidates = [key]
        case .slot(let slot): candidates = manifest?.slots[slot]?.candidates ?? []
        }
        for key in candidates {
          if let facts = manifest?.keys[key]?.facts, let name = entry.name(for: facts) {
            names[name, default: []].insert(key)
          }
        }
      }
      questions[target.destination, default: [:]].merge(names) { $0.union($1) }
    }
    for (id, attempt) in recorded.attempts where selection?.contains(.target(id)) ?? true {
      for (name, key) in attempt.names { questions[attempt.destination, default: [:]][name, default: []].insert(key) }
    }
    for (id, record) in recorded.targets where selection?.contains(.target(id)) ?? true {
      for (name, entry) in record.entries {
        questions[record.destination, default: [:]][name, default: []].insert(entry.key)
      }
    }
    return questions
  }
}
