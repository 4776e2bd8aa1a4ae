import Crypto
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

@testable import KeyplanStore

/// Everything that can be read of a store as lines of text, values and tokens included.
struct StoreListing: Equatable {
  /// Which store it is and where it stands: what a fresh root key or a move changes.
  var head: [String]
  /// What it holds.
  var body: [String]

  var text: String { (head + body).map { $0 + "\n" }.joined() }

  init(_ store: SealedStore) throws {
    let recorded = try store.recorded()
    let facts = try store.facts()
    head = [
      "store \(facts.id)", "root \(facts.rootID)", "epoch \(facts.epoch)", "serial \(facts.serial)",
      "applied \(Self.text(recorded.store?.appliedAt))", "moved \(recorded.store?.movedAt.map(String.init) ?? "-")",
    ]
    body = recorded.recipients.map { "recipient \($0) \($1.publicKey) \($1.role.rawValue)" }.sorted()
    for item in recorded.surface.items.sorted() {
      body.append("surface \(item)")
      body += (recorded.surface[item] ?? []).sorted().map { "  under \($0)" }
    }
    body += recorded.guards.demands.sorted().map { "demanded \($0)" }
    body += recorded.guards.waivers.sorted().map { "leave \($0)" }
    body += recorded.applied.map { "applied \($0.id) \($0.at)" }
    body += recorded.migrated.sorted().map { "migrated \($0)" }
    body += recorded.interrupted.map { "open \($0) since \($1)" }.sorted()
    body += recorded.attempts.map { target, attempt in
      "attempt \(target) \(Self.text(attempt.destination)) "
        + attempt.names.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }.sorted()
    body += recorded.dueHooks.map { "due \($0) since \($1)" }.sorted()
    body += recorded.failures.map { "failing \($0) since \($1.since) \($1.reason ?? "-")" }.sorted()
    body += recorded.mints.map { key, attempt in
      "mint \(key) \(Self.text(attempt.place)) \(attempt.label) known \(attempt.known ?? []) lost \(attempt.lost) "
        + "began \(attempt.began) unexplained \(attempt.unexplained) late \(attempt.late)"
    }.sorted()
    for (id, record) in recorded.keys.sorted(by: { $0.key < $1.key }) {
      body += Self.key("key \(id)", record) { number in
        (try? store.value(of: id, version: number)).map { $0.withBytes(Self.text) } ?? "-"
      }
    }
    body += recorded.slots.map { "slot \($0) \($1.revision) \($1.key) since \($1.since)" }.sorted()
    for (id, record) in recorded.targets.sorted(by: { $0.key < $1.key }) {
      body.append("target \(id) \(record.revision) \(Self.text(record.destination)) \(record.placeId ?? "-")")
      body += record.entries.sorted { $0.key < $1.key }.map {
        "  \($0.key) \($0.value.key) \(Self.text($0.value.fingerprint)) \($0.value.syncedAt) "
          + "\($0.value.mark?.text ?? "-") \($0.value.kept?.text ?? "-")"
      }
    }
    for (id, record) in recorded.accounts.sorted(by: { $0.key < $1.key }) {
      body += try Self.account(id, record, record.signIn == nil ? nil : store.tokens(of: id))
    }
    for forgotten in recorded.forgotten {
      let title = "forgotten \(forgotten.key) \(forgotten.serial) \(forgotten.at)"
      body += Self.key(title, forgotten.record) { _ in "" }
    }
  }

  private static func key(
    _ title: String, _ record: KeyRecord, _ value: (Int64) -> String
  ) -> [String] {
    let facts = record.facts
    var limit = "-"
    if let expiry = facts.expiry {
      switch expiry.limit {
      case .after(let interval): limit = "after \(interval.seconds)"
      case .on(let moment): limit = "on \(moment)"
      }
      limit += " warn \(expiry.warn.seconds) then \(expiry.then.rawValue) overlap \(expiry.overlap?.seconds ?? 0)"
    }
    var lines = ["\(title) \(record.revision)"]
    lines.append(
      "  provider \(facts.provider) model \(facts.model ?? "-") variable \(facts.variable ?? "-") "
        + "own \(facts.ownsVariable) protected \(facts.isProtected)")
    lines.append("  expiry \(limit) issued \(text(facts.issued))")
    lines.append("  sources \(facts.sources)")
    let labels = facts.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    lines.append("  labels " + labels.joined(separator: " "))
    lines.append("  retired \(text(record.retiredAt)) rejected \(record.rejected.map(text) ?? "-")")
    if let content = record.trackedContent { lines.append("  content \(content)") }
    if let recipients = facts.recipients { lines.append("  only for \(recipients)") }
    if let check = record.refusal { lines.append("  refused \(text(check))") }
    for revoked in record.revoked {
      lines.append("  revoked \(revoked.version) \(text(revoked.fingerprint)) \(revoked.at) \(revoked.reason ?? "-")")
    }
    for issued in record.issued {
      lines.append(
        "  issued \(issued.id) \(issued.label) \(text(issued.place)) version \(issued.version) \(issued.mintedAt) "
          + "ends \(text(issued.expires)) disabled \(text(issued.disabledAt)) renewed \(text(issued.renewedAt)) "
          + "ending \(issued.isEnding)")
    }
    for version in [record.version] + record.history { lines.append(Self.version(version, value(version.number))) }
    if let pending = record.pending { lines.append("  pending" + version(pending, value(pending.number))) }
    return lines
  }

  private static func version(_ version: KeyVersion, _ value: String) -> String {
    "  version \(version.number) \(text(version.fingerprint)) \(version.storedAt) from \(version.origin ?? "-") "
      + "issued \(text(version.issuedAt)) check \(version.check.map(text) ?? "-") exposed \(version.exposures.map { "\($0.recipient) \($0.since)" }): \(value)"
  }

  private static func text(_ check: KeyCheck) -> String {
    "\(check.outcome.rawValue) \(check.at) \(text(check.expires))"
  }

  private static func account(
    _ id: Identifier<Account>, _ record: AccountRecord, _ tokens: AccountTokens?
  ) -> [String] {
    let facts = record.facts
    var lines = [
      "account \(id) \(record.revision)",
      "  \(facts.service.rawValue) \(facts.account) \(facts.client ?? "-") \(facts.tenant ?? "-") \(facts.url ?? "-")",
      "  endpoints "
        + facts.endpoints.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue)=\($0.value)" }
        .joined(separator: " "),
      "  calendar \(record.calendar.map { "\($0.id) \($0.name) \($0.isPrimary)" } ?? "-")",
      "  refused \(record.refusal.map { "\($0.reason.rawValue) \($0.code) \($0.since)" } ?? "-")",
    ]
    guard let signIn = record.signIn else { return lines }
    lines += [
      "  signed in \(signIn.signedInAt) refreshed \(text(signIn.refreshedAt)) access \(signIn.access)",
      "  refreshable \(signIn.isRefreshable) testing \(signIn.isTesting) missing \(signIn.missing)",
      "  ends \(text(signIn.endsAt)) epoch \(signIn.epoch) began \(text(signIn.refreshBegan))",
      "  unanswered \(text(signIn.unanswered)) refresh at \(text(signIn.refreshAt))",
      "  ended \(signIn.ended.map { "\($0.reason.rawValue) \($0.code) \($0.at)" } ?? "-")",
      "  adopted \(signIn.adopted.map(text) ?? "-")",
      "  exposed \(signIn.exposures.map { "\($0.recipient) \($0.since)" })",
      "  tokens \(tokens?.access.map { $0.withBytes(text) } ?? "-") \(tokens?.refresh.map { $0.withBytes(text) } ?? "-")",
    ]
    return lines
  }

  private static func text(_ moment: Moment?) -> String { moment.map { "\($0)" } ?? "-" }

  private static func text(_ fingerprint: Fingerprint) -> String { fingerprint.bytes.hexadecimal }

  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.count <= 200 else {
      return "\(bytes.count) bytes, SHA-256 \(SHA256.hash(data: bytes).hexadecimal)"
    }
    return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
      ? String(decoding: bytes, as: UTF8.self) : bytes.hexadecimal
  }

  private static func text(_ destination: Destination) -> String {
    "\(destination.type) \(destination.location) [\(destination.surface?.description ?? "-")]"
  }
}
