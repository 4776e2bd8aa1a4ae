import Foundation
import TestTools
import Testing

/// What is left when a rotation is killed, or meets another one. Other providers: `RotationSweepTests`.
@Suite("A rotation")
struct RotationKillTests {
  @Test("that is killed at any request to the provider leaves no orphan, and each target always has a key that works")
  func killed() throws {
    let project = try RotationProject("openrouter")
    let methods = try Self.kill(project)
    // First it lists all keys, in three pages: requests that were killed without an answer may have made one since.
    #expect(methods == ["GET", "GET", "GET", "POST", "GET", "PATCH", "DELETE"])
  }

  /// Rotates and kills, until a run sends no further request. The methods of the requests of one run.
  static func kill(_ project: RotationProject) throws -> [String] {
    var methods: [String] = []
    for isProcessed in [false, true] {
      var number = 0
      while true {
        let death = RotationProject.Death(number: number, isProcessed: isProcessed)
        let before = Set(try project.keys().map(\.id))
        _ = try project.requests()
        let killed = try project.run(killedAt: death)
        let requests = try project.requests()
        methods = requests.map { String($0.prefix { $0 != " " }) }
        let what = "\(project.sample) at \(death)"
        let made = Set(try project.keys().map(\.id)).subtracting(before)
        if let killed {
          let said = try project.recover(what)
          // Without a label nobody can know whose it is: it is left to a person.
          if !project.sample.hasLabels, isProcessed, methods.last == "POST", requests.last?.hasSuffix("/keys") == true {
            #expect(made.count == 1 && made.allSatisfy(said.contains), "\(what): \(made)\n\(said)")
            for id in made { try project.disown(id) }
          }
          try project.expectNoSecret(in: [killed.out, killed.err, said], what)
        }
        try project.expectWorking(what)
        try project.expectOneKey(what)
        guard killed != nil else { break }
        number += 1
        try #require(number < 20, "\(what): it does not end")
      }
    }
    return methods
  }

  @Test("that meets another one ends, and so does the other: one key is left, and it is the one that is used")
  func race() throws {
    let project = try RotationProject("openrouter")
    var codes: [Int32: Int] = [:]
    for round in 0..<6 {
      let before = try project.expectOneKey("before round \(round)")
      let words = RotationProject.rotation + (round.isMultiple(of: 2) ? ["--lock-timeout", "120s"] : [])
      let answers = [try project.sandbox.start(words), try project.sandbox.start(words)].map { $0.wait() }
      let said = answers.map { "\($0.code)\n\($0.out)\($0.err)" }.joined()
      for answer in answers { codes[answer.code, default: 0] += 1 }
      #expect(answers.contains { $0.code == 0 }, "round \(round): \(said)")
      // Who waited finds that its plan is stale; who does not wait finds the lock.
      #expect(answers.allSatisfy { [0, 4, 5].contains($0.code) }, "round \(round): \(said)")
      #expect(try project.isConverged(), "round \(round): \(said)")
      #expect(try project.expectOneKey("round \(round): \(said)")?.id != before?.id)
      try project.expectWorking("round \(round)")
    }
    print("two rotations: exit codes \(codes.sorted { $0.key < $1.key })")
  }
}

/// The same at every provider, and at system calls in the place of requests.
@Suite("A rotation that is killed")
struct RotationSweepTests {
  private static let samples = FaultTracer.sample(IssuerSample.minting.count, atMost: 4).map {
    IssuerSample.minting[$0 - 1]
  }

  @Test("at any request leaves no orphan, and each target always has a key that works", arguments: samples)
  func killed(_ sample: IssuerSample) throws {
    let project = try RotationProject(sample)
    let methods = try RotationKillTests.kill(project)
    print("\(sample): \(methods.joined(separator: " "))")
    #expect(methods.contains("POST") && methods.count > 1)
  }

  @Test("at the requests that sign in to Azure is the same") func signingIn() throws {
    let project = try RotationProject("azure-application", signsIn: true)
    let methods = try RotationKillTests.kill(project)
    print("signing in: \(methods.joined(separator: " "))")
    #expect(methods.filter { $0 == "POST" }.count > 2)
  }

  @Test("leaves no orphan where a new key is missing from the list at first") func late() throws {
    let project = try RotationProject("azure-application")
    try project.control("mode", ["mode": "late"])
    let killed = try project.run(killedAt: RotationProject.Death(number: 0, isProcessed: true))
    try #require(killed != nil)
    _ = try project.recover("late")
    try project.expectWorking("late")
    try project.expectOneKey("late")
  }

  @Test(
    "as it makes a key, and then the next apply at any request: it is the same", arguments: ["openrouter", "twilio"])
  func killedTwice(provider: String) throws {
    for isProcessed in [false, true] {
      var number = 0
      while true {
        // A new one, in which no earlier request is looked for: the first request makes a key.
        let project = try RotationProject(provider)
        let first = try project.run(killedAt: RotationProject.Death(number: 0, isProcessed: true))
        try #require(first != nil)
        let death = RotationProject.Death(number: number, isProcessed: isProcessed)
        let second = try project.run([Shell.program, "apply", "--yes"], killedAt: death)
        let what = "\(provider), then at \(death)"
        _ = try project.recover(what)
        try project.expectWorking(what)
        try project.expectOneKey(what)
        guard second != nil else { break }
        number += 1
        try #require(number < 20, "\(what): it does not end")
      }
      // It lists the keys, revokes one, and does all that a rotation does.
      #expect(number > 3)
    }
  }

  @Test(
    "at any write to a target or the store leaves no orphan, and each target always has a key that works",
    needsTracer, arguments: ["openrouter", "twilio"])
  func killedAtWrites(provider: String) throws {
    try FaultTracer.requireTracer()
    let project = try RotationProject(provider)
    let (root, store) = (project.sandbox.project, project.sandbox.store)
    let drafts = RotationProject.targets.flatMap { [$0 + ".keyplan-new", "\(root)/\($0).keyplan-new"] }
    let tracer = FaultTracer(
      project.sandbox, Array(RotationProject.rotation.dropFirst()),
      at: [root, root + "/.keyplan", store, store + "-journal"] + drafts)
    var (tried, hit) = (0, 0)
    for call in ["pwrite64", "fdatasync", "renameat", "renameat2", "unlink", "unlinkat"] {
      let count = try tracer.count(call)
      for number in FaultTracer.sample(count, atMost: 8) {
        let what = "\(provider) at \(call) \(number) of \(count)"
        let killed = try tracer.apply(breaking: call, "signal=SIGKILL", at: number)
        tried += 1
        hit += killed.isHit ? 1 : 0
        let said = try project.recover(what)
        try project.expectWorking(what)
        try project.expectOneKey(what)
        try project.expectNoSecret(in: [killed.answer.out, killed.answer.err, said], what)
      }
    }
    print("\(provider): \(tried) runs, \(hit) of them killed")
    #expect(tried > 4 && hit * 10 > tried * 8, "most of them must have been killed")
  }
}
