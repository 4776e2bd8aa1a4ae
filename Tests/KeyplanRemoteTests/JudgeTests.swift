import Foundation
import KeyplanModel
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fakes of services are judged by the vendors' own clients: both read what the other wrote.
@Suite struct JudgeTests {
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// In CI they have to be there.
  private static let haveClients =
    ProcessInfo.processInfo.environment["CI"] != nil || Judge.areInstalled(Judge.small.map(\.package), in: python)

  @Test(
    "the vendor's own client reads what keyplan writes, and keyplan reads what the client writes",
    .enabled(if: haveClients, "run make setup-test, and set KEYPLAN_TEST_PYTHON"),
    arguments: Judge.small)
  func judged(by judge: Judge) async throws {
    try await Self.judge(judge, python: try #require(Self.python, "run make setup-test: KEYPLAN_TEST_PYTHON"))
  }

  static func judge(_ judge: Judge, python: String) async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == judge.service })
    let fake = try FakeService(sample)
    var expected: [String: String] = [:]
    for (number, value) in ContractTests.oddValues.enumerated() { expected[sample.name("ODD\(number)")] = value }
    // More than a page of the fake.
    for number in 1...6 { expected[sample.name("N\(number)")] = "value \(number)" }
    #expect(try await fake.run().write(expected).allSatisfy { $0.value == .done })

    var task = Judge.Task(present: expected, absent: sample.name("ABSENT"))
    for (number, value) in ContractTests.oddValues.enumerated() { task.set[sample.name("NEW\(number)")] = value }
    task.set[sample.name("N1")] = "changed"
    task.remove = [sample.name("N2"), sample.name("ODD3")]
    if let hides = judge.hides { task.hide = [sample.name(hides.suffix)] }
    try judge.run(task, at: fake.address, python: python)

    expected.merge(task.set) { $1 }
    for name in task.remove { expected[name] = nil }
    for name in task.hide { expected[name] = nil }
    try await see(expected, missing: task.remove + [task.absent], at: fake)
    if let hides = judge.hides {
      let shown = try await fake.run().look(sample.name(hides.suffix))
      #expect(shown == [hides.shown])
    }

    // What the client wrote, removed or made unreadable is changed by keyplan, and read by the client again.
    var changes = [sample.name("NEW0"): "ours", sample.name("N1"): "ours"]
    if sample.keepsNames {
      let again = try await fake.run().write([sample.name("N2"): "again"])
      #expect(again == [sample.name("N2"): .refused(.unreadable)])
    } else {
      changes[sample.name("N2")] = "again"
    }
    var removed = [sample.name("NEW1"), sample.name("NEW2")]
    if let hides = judge.hides {
      let name = sample.name(hides.suffix)
      if hides.shown == .failed(.unreadable) {
        // A disabled one is there: it is neither written over nor left behind as if it were missing.
        #expect(try await fake.run().write([name: "ours"]) == [name: .refused(.unreadable)])
        #expect(try await fake.run().write([:], removing: [name]) == [name: .refused(.unreadable)])
      } else {
        removed.append(name)
      }
    }
    let results = try await fake.run().write(changes, removing: removed)
    #expect(results.values.allSatisfy { $0 == .done }, "\(results)")
    expected.merge(changes) { $1 }
    for name in removed { expected[name] = nil }
    try await see(expected, missing: removed, at: fake)
    let again = Judge.Task(present: expected, absent: task.absent)
    try judge.run(again, at: fake.address, python: python)
  }

  /// Compares what a target and a source of the service show.
  private static func see(_ expected: [String: String], missing: [String], at fake: FakeService) async throws {
    let isReadable = fake.sample.shows == .values
    for (name, value) in expected {
      let shown = try await fake.run().look(name)
      #expect(shown == [isReadable ? .value(value) : .marked(nil)], "\(name)")
      if isReadable { #expect(try await fake.run().read(name) == [.value(value)], "\(name)") }
    }
    for name in missing { #expect(try await fake.run().look(name) == [.missing], "\(name)") }
  }
}
