package import KeyplanModel
internal import KeyplanPlanning

/// The variables that a plan sets for the first time and that are not those of credentials, with the keys and targets that set them. A
/// reviewer should see them, since a program may do anything with a variable.
package struct NewVariables: Sendable {
  /// Sorted by name.
  package let names: [(name: String, owners: [Address])]

  package init(_ report: PlanReport) {
    var owners: [String: [Address]] = [:]
    var earlier: [Identifier<Key>: Identifier<Key>] = [:]
    for step in report.plan.steps {
      if case .store(.key(let id, .move(let from))) = step.effect { earlier[id] = from }
    }
    for step in report.plan.steps {
      switch step.effect {
      case .outside(.sync(let id, let write)):
        for name in write.newVariables ?? [] { owners[name, default: []].append(.target(id)) }
      case .store(.key(let id, .store(let write))), .store(.key(let id, .adopt(let write, _))),
        .store(.key(let id, .replace(let write))), .store(.key(let id, .update(let write))):
        let record = report.recorded?.keys[id] ?? earlier[id].flatMap { report.recorded?.keys[$0] }
        guard let name = write.facts.reviewedVariable, record?.facts.variable != name else { continue }
        // Without the records, the variable of a recorded key is unknown.
        if report.recorded == nil, step.ground.revision != nil { continue }
        owners[name, default: []].append(.key(id))
      default: continue
      }
    }
    names = owners.sorted { $0.key < $1.key }.map {
      (name: $0.key, owners: $0.value.sorted { $0.description < $1.description })
    }
  }

  /// The number of owners of a variable that are named.
  static let ownersShown = 3

  /// A row for the plan; nil if there are none.
  /// - Parameter limit: the number of names. An omitted one would not be reviewed, so only a place with little room sets a limit.
  package func row(showing limit: Int = .max) -> StepMessages? {
    guard !names.isEmpty else { return nil }
    var runs = names.prefix(limit).map { item in
      Run("\(item.name) (\(Spans.list(item.owners.map(\.description), showing: Self.ownersShown))),")
    }
    if names.count > limit {
      runs.append(Run("and \(names.count - limit) more"))
    } else if let last = runs.popLast() {
      runs.append(Run(String(last.text.dropLast())))
    }
    return StepMessages(newVariables: runs)
  }
}
