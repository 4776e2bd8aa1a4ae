import Foundation
import Testing

/// A CI service's file, as far as a runner reads it.
struct PipelineFile {
  let content: [String: Any]

  static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// Where the tools of `scripts/test-requirements.txt` are; nil without that environment.
  static let tools = python.map { URL(filePath: $0).deletingLastPathComponent().path }

  /// A GitLab component with its inputs filled in, those that are not given by their defaults.
  init(component file: URL, _ inputs: [String: String] = [:]) throws {
    let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n---\n")
    try #require(parts.count == 2)
    let shell = try Shell()
    try shell.write(parts[0].components(separatedBy: "\n"), to: "spec.yml")
    let spec = try PipelineFile(URL(filePath: shell.folder + "/spec.yml")).content["spec"] as? [String: Any]
    let declared = try #require(spec?["inputs"] as? [String: [String: String]])
    let filled = try parts[1].replacing(/\$\[\[ inputs\.([a-z0-9-]+) \]\]/) { match in
      let name = String(match.1)
      let input = try #require(declared[name], "\(name) is not declared")
      return try #require(inputs[name] ?? input["default"], "\(name) has no value")
    }
    try shell.write(filled.components(separatedBy: "\n"), to: "jobs.yml")
    self = try PipelineFile(URL(filePath: shell.folder + "/jobs.yml"))
  }

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
    return Self.steps(try #require(jobs[job]?["steps"] as? [[String: Any]]))
  }

  /// The steps of a composite action.
  func steps() throws -> [Step] {
    Self.steps(try #require((content["runs"] as? [String: Any])?["steps"] as? [[String: Any]]))
  }

  /// One field of each input or output of an action, by its name.
  func fields(_ field: String, of kind: String) -> [String: String] {
    (content[kind] as? [String: [String: String]] ?? [:]).compactMapValues { $0[field] }
  }

  private static func steps(_ steps: [[String: Any]]) -> [Step] {
    steps.map { step in
      Step(
        uses: step["uses"] as? String, run: step["run"] as? String, condition: step["if"] as? String,
        id: step["id"] as? String, variables: step["env"] as? [String: String] ?? [:],
        inputs: step["with"] as? [String: String] ?? [:])
    }
  }

  /// A GitLab job's script after that of the job that it extends, one line after the other as the runner does it.
  func script(of job: String) throws -> [String] {
    let fields = try #require(content[job] as? [String: Any])
    let before = (fields["extends"] as? String).flatMap {
      (content[$0] as? [String: Any])?["before_script"] as? [String]
    }
    return (before ?? []) + (try #require(fields["script"] as? [String]))
  }

  /// What the job that it extends sets.
  func variables(of job: String) -> [String: String] {
    let base = (content[job] as? [String: Any])?["extends"] as? String ?? ""
    return (content[base] as? [String: Any])?["variables"] as? [String: String] ?? [:]
  }

  /// All shell in it: what steps run, and scripts.
  func scripts() throws -> [String] {
    if let jobs = content["jobs"] as? [String: Any] {
      return try jobs.keys.sorted().flatMap { job in try steps(of: job).compactMap(\.run) }
    }
    if content["runs"] != nil { return try steps().compactMap(\.run) }
    return content.keys.sorted().flatMap { job in
      let fields = content[job] as? [String: Any] ?? [:]
      return ["before_script", "script"].compactMap { (fields[$0] as? [String])?.joined(separator: "\n") }
    }
  }
}
