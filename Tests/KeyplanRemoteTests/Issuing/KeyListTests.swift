import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The lists of keys: complete, or a failure.
@Suite struct KeyListTests {
  private static let label = KeyIssuerTests.label

  @Test("no faulty answer reads as a list", arguments: IssuerSample.all)
  func neverEmpty(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    for fault in FaultTests.cases {
      try await fake.fail(Fault(status: fault.status, headers: fault.headers, body: fault.body))
      let failed = await failure { try await issuer.list() }
      #expect(failed != nil, "\(fault.testDescription)")
      try await fake.recover()
    }
  }

  @Test(
    "a list of an entry without an id, or without the member that names it, is no list", arguments: IssuerSample.minting
  )
  func otherForm(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    _ = try await fake.issuer().mint(Self.label)
    let other = try fake.issuer { $0.rotate?.list?.id = Extract(.pointer(AnswerPointer.of("/renamed"))) }
    #expect(await failure { try await other.list() }?.kind == .unreadable)
    guard sample.hasLabels else { return }
    let unnamed = try fake.issuer { $0.rotate?.list?.name = Extract(.pointer(AnswerPointer.of("/renamed"))) }
    #expect(await failure { try await unnamed.orphans(of: Self.label) }?.kind == .unreadable)
  }

  @Test("every page of a list is read", arguments: IssuerSample.paged)
  func pages(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    var expected: [String] = []
    for number in 0..<(sample.canMint ? 7 : 0) {
      expected.append(try await issuer.mint("keyplan/s/k/\(number)").id)
      if [0, 4, 6, 7].contains(expected.count) { #expect(try await issuer.list().map(\.id) == expected) }
    }
    #expect(try await issuer.list().map(\.id) == expected)
    if let last = expected.last { #expect(try await issuer.orphans(of: "keyplan/s/k/6") == [last]) }

    try await fake.be("endless")
    _ = try await fake.seen()
    #expect(await failure { try await issuer.list() }?.kind == .unreadable)
    #expect(try await fake.seen().count <= 100)
  }

  @Test("a list that moved between its pages is not taken for complete")
  func moved() async throws {
    for sample in IssuerSample.paged where sample.canMint && sample.name != "openai" {
      let fake = try FakeIssuer(sample)
      let issuer = try fake.issuer()
      for number in 0..<4 { _ = try await issuer.mint("keyplan/s/k/\(number)") }
      try await fake.be("twice")
      #expect(await failure { try await issuer.list() }?.kind == .unreadable, "\(sample.name)")
    }
    // There is more, and nothing says where.
    let cut = try FakeIssuer("openai")
    let account = try cut.issuer()
    for number in 0..<3 { _ = try await account.mint("keyplan/s/k/\(number)") }
    try await cut.be("cut")
    #expect(await failure { try await account.list() }?.kind == .unreadable)
    for name in ["datadog", "digitalocean-spaces", "mailgun"] {
      let fake = try FakeIssuer(name)
      try await fake.be("short")
      let issuer = try fake.issuer()
      #expect(await failure { try await issuer.list() }?.kind == .unreadable, "\(name)")
    }
  }

  @Test("a next page at another address is not asked for", arguments: IssuerSample.paged.filter(\.followsAddress))
  func foreign(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let sent = Mutex<[String]>([])
    var transport = FakeIssuer.transport()
    let real = transport.send
    transport.send = { request throws(HTTPError) in
      sent.withLock { $0.append(request.address.text) }
      return try await real(request)
    }
    let issuer = try fake.issuer(through: transport)
    for number in 0..<3 { _ = try await issuer.mint("keyplan/s/k/\(number)") }
    try await fake.be("foreign")
    #expect(await failure { try await issuer.list() }?.kind == .unreadable)
    #expect(sent.withLock { $0 }.allSatisfy { $0.hasPrefix(fake.address) })
  }
}

extension AnswerPointer {
  fileprivate static func of(_ text: String) -> AnswerPointer { (try? AnswerPointer(text)) ?? .root }
}
