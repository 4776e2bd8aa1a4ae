import Foundation
import Testing

/// Runs commands of a project under strace, and looks for its secrets in all that they leave.
final class CanaryWatch {
  private let sandbox: ProgramSandbox
  /// Secrets by the files where they belong, with the file's draft.
  private let allowed: [String: Set<String>]
  let search: CanarySearch
  private var runs = 0

  /// - Parameter values: what is written; they are called `value 1` and so on.
  init(
    _ sandbox: ProgramSandbox, credentials: [String], values: [String], allowed: [String: Set<String>] = [:]
  ) throws {
    self.sandbox = sandbox
    self.allowed = allowed
    search = try CanarySearch(values.enumerated().map { CanarySecret("value \($0 + 1)", $1) })
      .adding(credentials.map { CanarySecret("credential", $0) })
  }

  func run(_ line: String, _ codes: [Int32] = [0]) throws {
    let words = line.split(separator: " ").map(String.init)
    let (answer, found) = try findings(of: [Shell.program] + words)
    #expect(codes.contains(answer.code), "\(line): \(answer.code)\n\(answer.out)\(answer.err)")
    for one in found { Issue.record("\(line): \(one)") }
  }

  func findings(of words: [String]) throws -> (answer: ProgramRun.Answer, found: [String]) {
    runs += 1
    let log = "\(sandbox.root)/strace.\(runs)"
    let answer = try sandbox.start(CanaryTrace.command(log) + words).wait()
    var found = search.found(in: Data(answer.out.utf8)).map { "standard output: \($0)" }
    found += search.found(in: Data(answer.err.utf8)).map { "standard error: \($0)" }
    // What goes over a socket goes to the service, or to the proxy: there is no other peer.
    for line in try CanaryTrace(log).own() where !line.sink.hasPrefix("socket:") {
      let path = line.sink.hasPrefix(sandbox.root) ? String(line.sink.dropFirst(sandbox.root.count + 1)) : line.sink
      let belonging = line.isStart ? [] : belonging(in: path)
      found += search.found(in: line.text, allowing: belonging).map { "\(line.call) \(path): \($0)" }
    }
    return (answer, found + filesWithSecrets())
  }

  private func filesWithSecrets() -> [String] {
    sandbox.files().flatMap { name in
      let bytes = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      return search.found(in: bytes, allowing: belonging(in: name)).map { "\(name): \($0)" }
        + search.found(in: Data(name.utf8)).map { "a name, \(name): \($0)" }
    }
  }

  /// `pipe` is every pipe: what a program reads on its standard input.
  private func belonging(in path: String) -> Set<String> {
    if path.hasPrefix("pipe:") { return allowed["pipe"] ?? [] }
    return allowed[path.hasSuffix(".keyplan-new") ? String(path.dropLast(".keyplan-new".count)) : path] ?? []
  }
}
