import KeyplanJSON
import KeyplanModel
import KeyplanSecrets

extension RemoteWrite {
  /// Sends the items in as few requests as the service takes, and records the meaning of each answer.
  package mutating func send(_ items: [Item], replacing contents: PlaceContents?) async {
    var alone = items
    if let many = api.putMany {
      let together = items.filter { $0.value != nil || many.deletes }
      alone = items.filter { $0.value == nil && !many.deletes }
      await send(together, many, replacing: contents)
    }
    for item in alone { await send(item) }
  }

  private mutating func send(_ items: [Item], _ many: SecretAPI.WriteMany, replacing contents: PlaceContents?) async {
    guard !items.isEmpty else { return }
    if let contents { return await replace(contents, with: items, many) }
    for start in stride(from: 0, to: items.count, by: many.most) {
      let chunk = Array(items[start..<min(start + many.most, items.count)])
      await send(many.request, chunk, [.writes: chunk.map { Self.element($0) }], Bindings(), many)
    }
  }

  /// Sends the whole object with the changes. Members that do not change are sent as they were read.
  private mutating func replace(_ contents: PlaceContents, with items: [Item], _ many: SecretAPI.WriteMany) async {
    let changed = Set(items.map { session.identity(of: $0.name) })
    var elements = items.map { Self.element($0) }.filter { !$0.isRemoved }
    for (identity, finding) in contents.entries.sorted(by: { $0.key < $1.key }) where !changed.contains(identity) {
      guard case .found(let entry) = finding, !entry.isHidden, let kept = entry.kept else {
        for item in items { refuse(item.name, RemoteMessages.hiddenValues) }
        return
      }
      var element = SetItem(name: entry.name)
      element.kept = kept
      elements.append(element)
    }
    var bindings = Bindings()
    bindings["version"] = contents.version ?? absentVersion
    if elements.isEmpty, let whenEmpty = many.whenEmpty {
      return await send(whenEmpty, items, [:], bindings, nil)
    }
    let sets: ItemSets = [.all: elements, .writes: items.map { Self.element($0) }]
    await send(many.request, items, sets, bindings, many)
  }

  private var absentVersion: BoundValue? {
    switch api.absentVersion {
    case .number(let text): .number(text)
    case .string(let text): .text(text)
    case nil, .null, .bool, .array, .object: nil
    }
  }

  private static func element(_ item: Item) -> SetItem {
    var element = SetItem(name: item.name)
    element.isRemoved = item.value == nil
    element.bindings["value"] = item.value.map { .secret($0) }
    element.bindings["before"] = item.entry?.value.map { .secret($0) }
    element.bindings["id"] = item.entry?.id.map { .text($0) }
    element.bindings["present"] = item.entry.map { _ in .text(item.name) }
    return element
  }

  /// Sends one request for several names.
  private mutating func send(
    _ request: SecretAPI.Request, _ items: [Item], _ sets: ItemSets, _ extra: Bindings, _ many: SecretAPI.WriteMany?
  ) async {
    let failed = many?.failed
    do throws(RemoteFailure) {
      let bindings = try await session.bindings(for: request.variables).merging(extra)
      let answer = try await session.sender.send(request, .write, bindings, sets, needsJSON: failed != nil)
      session.keep(many?.yields ?? [], of: answer, bindings)
      for item in items { verdicts[item.name] = verdict(answer, isDeletion: false, mark: nil, bindings) }
      guard answer.meaning == .ok, let failed, let json = answer.json else { return }
      for failure in failed.failures(in: json, bindings) { record(failure, items) }
    } catch {
      for item in items { verdicts[item.name] = .refused(error.asAccess) }
    }
  }

  private mutating func record(_ failure: (name: String?, meaning: AnswerClass?), _ items: [Item]) {
    let reason = RemoteMessages.failedAlone(session.host)
    let identity = failure.name.map { session.identity(of: $0) }
    guard let item = items.first(where: { session.identity(of: $0.name) == identity }) else {
      // Something failed, and the answer does not say what.
      for item in items { verdicts[item.name] = .unknown(reason) }
      return
    }
    switch failure.meaning {
    case .stale, .exists, .missing: verdicts[item.name] = .stale
    default: verdicts[item.name] = .refused(RemoteFailure(failure.meaning ?? .refused, reason).asAccess)
    }
  }

  /// Sends the request for one name.
  private mutating func send(_ item: Item) async {
    let operation = item.value == nil ? api.delete : api.put ?? (item.entry == nil ? api.create : api.update)
    guard let operation else {
      return refuse(item.name, item.value == nil ? RemoteMessages.cannotDelete : RemoteMessages.cannotWrite)
    }
    do throws(RemoteFailure) {
      let variables = operation.before.reduce(operation.request.variables) { $0.union($1.variables) }
      var bindings = try await session.bindings(for: variables)
      bindings["name"] = .text(item.name)
      bindings["value"] = item.value.map { .secret($0) }
      bindings["before"] = item.entry?.value.map { .secret($0) }
      bindings["id"] = item.entry?.id.map { .text($0) }
      bindings["version"] = item.entry.map(\.version) ?? absentVersion
      for before in item.entry == nil ? operation.before : [] {
        let answer = try await session.sender.send(before, .write, bindings)
        guard answer.meaning == .ok || answer.meaning == .exists else {
          verdicts[item.name] = verdict(answer, isDeletion: false, mark: nil, bindings)
          return
        }
      }
      let answer = try await session.sender.send(operation.request, .write, bindings)
      session.keep(operation.yields, of: answer, bindings)
      verdicts[item.name] = verdict(answer, isDeletion: item.value == nil, mark: operation.mark, bindings)
    } catch {
      verdicts[item.name] = .refused(error.asAccess)
    }
  }

  private func verdict(
    _ answer: ClassifiedAnswer, isDeletion: Bool, mark: Extract?, _ bindings: Bindings
  ) -> Verdict {
    switch answer.meaning {
    case .ok:
      guard let mark, let json = answer.json else { return .done(mark: nil) }
      return .done(mark: (try? mark.value(in: json.root, key: nil, of: json, bindings))?.text)
    // It counts as deleted only if it is seen not to be there.
    case .missing: return isDeletion ? .unknown(answer.reason) : .stale
    case .exists, .stale: return .stale
    case .unreachable, .unreadable:
      return answer.wasSent ? .unknown(answer.reason) : .refused(session.sender.failure(answer, writing: true).asAccess)
    default: return .refused(session.sender.failure(answer, writing: true).asAccess)
    }
  }
}
