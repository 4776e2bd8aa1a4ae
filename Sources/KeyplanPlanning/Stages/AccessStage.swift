internal import KeyplanModel

/// Reports steps that need a value which the identity in use cannot open. They stay in the plan, which is the same for all recipients.
struct AccessStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext, _ steps: [Step]) {
    self.context = context
    guard recorded.access != nil else { return }
    var closed: [Identifier<Key>: [Identifier<Recipient>]] = [:]
    for step in steps {
      let values = recorded.closedValues(for: step.effect)
      guard !values.isEmpty else { continue }
      if case .store(.rewrap) = step.effect {
        report(.store(.closedValues(values)))
      } else {
        for value in values { closed[value.key] = value.recipients }
      }
    }
    for (id, recipients) in closed { report(.key(id, .closed(to: recipients)), at: manifest.keys[id]?.place) }
  }
}
