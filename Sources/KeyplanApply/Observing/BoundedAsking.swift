extension Observer {
  /// Asks about items, eight at a time.
  /// - Returns: the answers that are not nil.
  func askInTurn<ID: Hashable & Sendable, Item: Sendable, Answer: Sendable>(
    _ items: [ID: Item], _ ask: @escaping @Sendable (ID, Item) async -> Answer?
  ) async -> [ID: Answer] {
    await withTaskGroup(of: (ID, Answer?).self) { group in
      var answers: [ID: Answer] = [:]
      for (index, (id, item)) in items.enumerated() {
        if index >= 8, let (id, answer) = await group.next() { answers[id] = answer }
        group.addTask { (id, await ask(id, item)) }
      }
      for await (id, answer) in group { answers[id] = answer }
      return answers
    }
  }

  /// Reports the beginning and the end of a request.
  func hearing<Answer>(_ name: String, _ ask: () async -> Answer) async -> Answer {
    hear(.began(name))
    defer { hear(.ended(name)) }
    return await ask()
  }
}
