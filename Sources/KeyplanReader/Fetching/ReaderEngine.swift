internal import KeyplanClocks
internal import KeyplanFiles
internal import KeyplanSecrets
internal import Synchronization

/// Serves values from memory, and fetches those that are missing, old or requested: once for all tasks and processes that wait for it.
final class ReaderEngine: Sendable {
  let sources: [any KeySource]
  let options: ReaderOptions
  let cache: SealedCache?
  let table = Mutex(ReaderTable())

  let clock: ReaderClock

  init(_ sources: [any KeySource], _ options: ReaderOptions) {
    var options = options
    for source in sources { options.ages.merge(source.ages) { own, _ in own } }
    (self.sources, self.options, clock) = (sources, options, options.clock)
    cache = Self.cache(of: sources.map(\.identity), options)
  }

  private static func cache(of sources: [String], _ options: ReaderOptions) -> SealedCache? {
    do throws(FileError) {
      return try options.cacheDirectory.map { directory throws(FileError) in
        try SealedCache(directory, of: sources, report: options.report)
      }
    } catch {
      options.report(.noCache("\(error)"))
      return nil
    }
  }

  // MARK: From memory

  /// The value in memory if it is young enough, without waiting. Refreshes it ahead of its end.
  func hit(_ item: ReadItem, _ maximumAge: Duration?) -> CachedValue? {
    let (sinceStart, wall) = (clock.sinceStart(), clock.wall())
    var isDue = false
    let found: CachedValue? = table.withLock { table in
      guard let slot = table.slots[item], let value = slot.trusted else { return nil }
      let fresh = slot.ages.freshNanoseconds
      guard value.isYounger(than: maximumAge?.inNanoseconds ?? fresh, sinceStart: sinceStart, wall: wall) else {
        return nil
      }
      isDue =
        slot.flight == nil && sinceStart >= slot.noRefreshBefore
        && !value.isYounger(than: Int64(Double(fresh) * value.lead), sinceStart: sinceStart, wall: wall)
      return value
    }
    if let found, isDue { _ = flight(of: item, limit: .part(found.lead), anew: false) }
    return found
  }

  // MARK: From the sources

  /// The maximum age of a value that makes a request unnecessary.
  enum AgeLimit: Sendable {
    case age(Duration)
    /// A part of the soft age.
    case part(Double)
  }

  /// The value after a fetch, if there has to be one.
  /// - Parameter anew: whether to ignore an earlier refusal. The pause after an outage always counts.
  func value(
    _ item: ReadItem, _ maximumAge: Duration?, allowStale: Bool, anew: Bool = false
  ) async throws(KeyError) -> APIKey {
    let limit: AgeLimit = maximumAge.map { .age($0) } ?? .part(1)
    while true {
      let outcome: FetchOutcome
      if let barred = anew ? nil : barred(item, limit) {
        outcome = barred
      } else if let fetched = await flight(of: item, limit: limit, anew: anew).outcome() {
        outcome = fetched
      } else {
        throw KeyError(.cancelled, item, "The task was cancelled.")
      }
      let now = clock.now
      if let error = outcome.error {
        guard allowStale, error.reason == .unreachable, let value = outcome.value, !value.isOver(now) else {
          throw error
        }
        let age = value.age(now)
        guard age < ages(of: item).stale else { throw error }
        return APIKey(entry: value, item: item, freshness: .stale(age: age))
      }
      // The fetch may have been begun by a caller that accepts an older value.
      if let value = outcome.value, outcome.isFinal || isYoung(value, item, limit, now) {
        guard !value.isOver(now) else { throw KeyError(.expired, item, "The value is past its end.") }
        return APIKey(entry: value, item: item, freshness: .fresh)
      }
    }
  }

  /// The fetch that is under way, or a new one.
  func flight(of item: ReadItem, limit: AgeLimit, anew: Bool) -> Flight {
    let (flight, isNew) = table.withLock { table in
      let slot = table.slot(item, options)
      if let flight = slot.flight { return (flight, false) }
      let flight = Flight()
      slot.flight = flight
      return (flight, true)
    }
    if isNew {
      Task {
        let outcome = await self.fetch(item, limit, anew: anew)
        self.table.withLock { $0.slot(item, self.options).flight = nil }
        flight.land(outcome)
      }
    }
    return flight
  }

  private func fetch(_ item: ReadItem, _ limit: AgeLimit, anew: Bool) async -> FetchOutcome {
    take(item)
    if let young = young(item, limit) { return young }
    let lock = await lock(item, limit)
    defer { lock?.unlock() }
    // Values that another process has fetched meanwhile, and its failures.
    take(item)
    if let young = young(item, limit) { return young }
    if !anew, let barred = barred(item, limit) { return barred }
    record(await ask(item), item)
    let (value, refusal) = table.withLock { table in
      let slot = table.slot(item, options)
      return (slot.value, slot.refusal?.error)
    }
    return FetchOutcome(value: value, error: refusal, isFinal: true)
  }

  private func ages(of item: ReadItem) -> CacheAges { table.withLock { $0.slot(item, options).ages } }

  private func isYoung(_ value: CachedValue, _ item: ReadItem, _ limit: AgeLimit, _ now: TimeStamp) -> Bool {
    let limit =
      switch limit {
      case .age(let age): age
      case .part(let part): ages(of: item).fresh * part
      }
    return value.isYounger(than: limit, sinceStart: now.sinceStart, wall: now.wall)
  }

  private func young(_ item: ReadItem, _ limit: AgeLimit) -> FetchOutcome? {
    let value = table.withLock { $0.slot(item, options).trusted }
    guard let value, isYoung(value, item, limit, clock.now) else { return nil }
    return FetchOutcome(value: value, error: nil, isFinal: false)
  }

  /// Soon after a failure, no source is asked. But the results of other processes are looked up every second.
  private func barred(_ item: ReadItem, _ limit: AgeLimit) -> FetchOutcome? {
    let now = clock.now
    func refused(_ table: ReaderTable) -> KeyError? {
      guard let refusal = table.slots[item]?.refusal, refusal.wait.left(now) != nil else { return nil }
      return refusal.error
    }
    let (error, isDue) = table.withLock { table in
      guard let error = refused(table), let slot = table.slots[item] else { return (KeyError?.none, false) }
      let isDue = cache != nil && now.sinceStart - max(slot.lookedAt, 0) >= Self.lookEvery
      if isDue { slot.lookedAt = now.sinceStart }
      return (error, isDue)
    }
    guard let error else { return nil }
    if isDue {
      take(item)
      if young(item, limit) != nil { return nil }
    }
    return FetchOutcome(value: table.withLock { $0.slots[item]?.value }, error: error, isFinal: true)
  }

  /// In nanoseconds.
  private static var lookEvery: Int64 { 1_000_000_000 }

  // MARK: The disk

  /// Takes the value and the failures from the disk that are younger than those in memory.
  private func take(_ item: ReadItem) {
    guard let cache else { return }
    let now = clock.now
    let record = cache.read(item)
    let latest = cache.latestTime()
    let kept = table.withLock { table -> Bool in
      let slot = table.slot(item, options)
      for (source, wait) in record.waits {
        guard let age = now.age(of: wait.since) else { continue }
        if let own = slot.waits[source].flatMap({ now.age(of: $0.since) }), own <= age { continue }
        slot.waits[source] = wait
      }
      if let removed = record.removed {
        slot.removed = removed
        if let value = slot.value, removed.isLater(than: value.born, now) {
          slot.value = nil
          table.tell(item, nil, .notFound)
        }
      }
      guard let found = record.value else { return true }
      // After a restart with an earlier calendar, its age is unknown.
      let isOfThisStart = found.born.start != nil && found.born.start == now.start
      guard isOfThisStart || now.wall >= latest, let age = now.age(of: found.born), age < slot.ages.stale else {
        return false
      }
      if let own = slot.value, own.age(now) <= age { return true }
      // Of an earlier start of the machine, it gets the place in this one that it would have.
      let born = isOfThisStart ? found.born : now.earlier(by: age)
      let value = CachedValue(found.content, version: found.version, from: found.source, born: born)
      slot.value = value
      table.tell(item, value, nil)
      return true
    }
    if !kept { write(CacheRecord(waits: record.waits, removed: record.removed), item) }
  }

  private func write(_ record: CacheRecord, _ item: ReadItem) {
    guard let cache else { return }
    do throws(FileError) {
      try cache.write(record, for: item)
      let wall = clock.wall()
      if wall > cache.latestTime().addingReportingOverflow(60_000).partialValue { cache.note(latestTime: wall) }
    } catch {
      options.report(.cacheNotWritten(item, "\(error)"))
    }
  }

  /// The lock that lets one process fetch at a time. Nil if it is unavailable: then several may fetch.
  private func lock(_ item: ReadItem, _ limit: AgeLimit) async -> LockFile? {
    guard let cache else { return nil }
    let lock: LockFile
    do throws(FileError) {
      lock = try cache.lock(item)
    } catch {
      options.report(.cacheNotWritten(item, "\(error)"))
      return nil
    }
    // Longer than its holder may take, unless it was stopped.
    let end = clock.sinceStart() + (options.timeout * (2 * sources.count) + .seconds(5)).inNanoseconds
    var pause = Duration.milliseconds(2)
    while clock.sinceStart() < end {
      do throws(FileError) {
        if try lock.tryLock(details: "") { return lock }
      } catch {
        options.report(.cacheNotWritten(item, "\(error)"))
        return nil
      }
      await clock.sleep(pause)
      pause = min(pause * 2, .milliseconds(100))
      take(item)
      if young(item, limit) != nil { return nil }
    }
    return nil
  }

  // MARK: Answers

  /// The combined answer of all sources.
  enum Answer: Sendable {
    case value(KeySourceValue, source: String, asked: TimeStamp)
    case unchanged(asked: TimeStamp)
    case refused(KeyError)

    var error: KeyError? { if case .refused(let error) = self { error } else { nil } }
  }

  /// Asks the sources in their order: the next one if one does not have it, or cannot be reached.
  private func ask(_ item: ReadItem) async -> Answer {
    var outages: [String] = []
    var missing: KeyError?
    for source in sources {
      let identity = source.identity
      let now = clock.now
      let (wait, cached) = table.withLock { table in
        let slot = table.slot(item, options)
        return (slot.waits[identity], slot.value)
      }
      if let wait, wait.left(now) != nil {
        outages.append(wait.detail)
        continue
      }
      let known = cached?.source == identity ? cached?.content.version : nil
      let timeout = options.timeout
      let answer =
        await within(timeout, clock) { await source.read(item, known: known) }
        ?? .unreachable("\(identity) did not answer within \(timeout.components.seconds) s.", retryAfter: nil)
      if case .unreachable(let detail, let pause) = answer {
        outages.append(detail)
        options.report(.unreachable(item, detail))
        setWait(
          item, identity,
          Wait(after: wait?.failures ?? 0, at: clock.now, asked: pause, detail: detail, jitter: .random(in: 0...1)))
        continue
      }
      setWait(item, identity, nil)
      switch answer {
      case .value(let value): return .value(value, source: identity, asked: now)
      case .unchanged where known != nil: return .unchanged(asked: now)
      case .unchanged: return .refused(KeyError(.backend, item, "\(identity) gave no value, and none is known."))
      case .refused(.notFound, let detail, let hint): missing = missing ?? KeyError(.notFound, item, detail, hint: hint)
      case .refused(let reason, let detail, let hint): return .refused(KeyError(reason, item, detail, hint: hint))
      case .unreachable: break
      }
    }
    guard outages.isEmpty else { return .refused(KeyError(.unreachable, item, outages.joined(separator: " "))) }
    return .refused(missing ?? KeyError(.notFound, item, "No source is given that could have it."))
  }

  private func setWait(_ item: ReadItem, _ source: String, _ wait: Wait?) {
    table.withLock { $0.slot(item, options).waits[source] = wait }
  }

  /// Remembers an answer in memory and on the disk, and notifies subscriptions.
  private func record(_ answer: Answer, _ item: ReadItem) {
    let now = clock.now
    let record = table.withLock { table -> CacheRecord in
      let slot = table.slot(item, options)
      switch answer {
      case .value(let content, let source, let asked):
        let old = slot.value
        let isSame = old.map { $0.content.value.equals(content.value) && $0.content.name == content.name } ?? false
        let version = isSame ? old?.version : content.version
        slot.value = CachedValue(content, version: version ?? .randomVersion(), from: source, born: asked)
        slot.refusal = nil
        if slot.value?.isOver(now) == true {
          slot.refuse(KeyError(.expired, item, "The value is past its end."), at: now)
        }
      case .unchanged(let asked):
        slot.value = slot.value?.confirmed(at: asked)
        slot.refusal = nil
      case .refused(let error):
        slot.refuse(error, at: now)
      }
      // It is no longer served.
      if let value = slot.value, value.age(now) >= slot.ages.stale { slot.value = nil }
      table.tell(item, slot.value, answer.error?.reason)
      if slot.value != nil { slot.removed = nil }
      return CacheRecord(value: slot.value.map { CacheRecord.Value($0) }, waits: slot.waits, removed: slot.removed)
    }
    write(record, item)
  }
}

extension ReaderTable.Slot {
  /// - Parameter error: decides whether the cached value remains: it does unless a source answered that there is no usable value.
  fileprivate func refuse(_ error: KeyError, at now: TimeStamp) {
    switch error.reason {
    case .notFound, .denied, .missingField, .expired: (value, removed) = (nil, now)
    case .unreachable, .backend, .cancelled: break
    }
    let wait: Wait
    if error.reason == .unreachable {
      // As long as the first of the sources that may be asked again.
      wait =
        waits.values.min { ($0.left(now) ?? .zero) < ($1.left(now) ?? .zero) }
        ?? Wait(after: 0, at: now, detail: error.detail, jitter: .random(in: 0...1))
    } else {
      wait = Wait(
        after: refusal.map { $0.error.reason == error.reason ? $0.wait.failures : 0 } ?? 0, at: now,
        detail: error.detail, jitter: .random(in: 0...1))
    }
    refusal = (error, wait)
    noRefreshBefore = now.sinceStart + (wait.left(now) ?? .zero).inNanoseconds
  }
}

extension ReaderTable {
  /// Notifies the subscriptions of the value that is served now.
  func tell(_ item: ReadItem, _ value: CachedValue?, _ reason: KeyError.Reason?) {
    for subscription in subscriptions.values { subscription.subscription?.note(item, value, reason) }
  }
}

extension CacheRecord.Value {
  fileprivate init(_ value: CachedValue) {
    self.init(content: value.content, version: value.version, source: value.source, born: value.born)
  }
}

extension String {
  /// For values of sources that have no versions.
  fileprivate static func randomVersion() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
}
