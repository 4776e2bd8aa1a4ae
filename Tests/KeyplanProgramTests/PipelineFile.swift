import Foundation
import Testing

/// A CI service's file, as far as a runner reads it.
struct PipelineFile {
  let content: [String: Any]

  static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// Where the tools of `scripts/test-requirements.txt` are; nil without that environment.
  static let tools = python.map { URL(filePath: $0).deletingLastPathComponent().path }

  init(_ file: URL) throws {
    let shell = try Shell()
    let program = "import json, sys, yaml; print(json.dumps(yaml.load(open(sys.argv[1]), yaml.BaseLoader)))"
    let answer = try shell.run("'\(try #require(Self.python))' -c '\(program)' '\(file.path)'")
    try #require(answer.code == 0, "\(answer.err)")
    let read = try JSONSerialization.jsonObject(with: Data(answer.out.joined(separator: "\n").utf8))
    content = try #require(read as? [String: Any])
  }

  /// A step of a GitHub workflow's job.
  struct Step {
    let uses: String?
    let run: String?
    let condition: String?
    let id: String?
    let variables: [String: String]
    let inputs: [String: String]
  }

  /// A GitHub workflow's steps of one job.
  func steps(of job: String) throws -> [Step] {
    let jobs = try #require(content["jobs"] as? [String: [String: Any]])
    let steps = try #require(jobs[job]?["steps"] as? [[String: Any]])
    return steps.map { step in
      Step(
        uses: step["uses"] as? String, run: step["run"] as? String, condition: step["if"] as? String,
        id: step["id"] as? String, variables: step["env"] as? [String: String] ?? [:],
        inputs: step["with"] as? [String: String] ?? [:])
    }
  }

  /// What a GitHub workflow sets for all its jobs.
  var variables: [String: String] { content["env"] as? [String: String] ?? [:] }

  /// A GitLab job's script, one line after the other as the runner does it.
  func script(of job: String) throws -> [String] {
    try #require((content[job] as? [String: Any])?["script"] as? [String])
  }

  /// All shell in it: what steps run, and scripts.
  func scripts() throws -> [String] {
    if let jobs = content["jobs"] as? [String: Any] {
      return try jobs.keys.sorted().flatMap { job in try steps(of: job).compactMap(\.run) }
    }
    return content.keys.sorted().compactMap { ((content[$0] as? [String: Any])?["script"] as? [String]) }
      .map { $0.joined(separator: "\n") }
  }
}
