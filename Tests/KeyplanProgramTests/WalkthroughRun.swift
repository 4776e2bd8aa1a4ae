import Foundation
import PostgresForTests
import Testing

/// Types a walkthrough in a scratch copy of its folder. With a server, it is at db.example.com, everybody signs in under
/// their own name, each has a folder to be in, and `git@git.example.com:shop` has what the copy pushes.
struct WalkthroughRun {
  let shell: Shell
  /// How many days ago it was written.
  private let age: Int
  /// What the text calls an id or a recipient, and what it is here.
  private var names: [String: String] = [:]
  /// Where everybody is; with a server each person, at first in the copy.
  private var folders: [String: String] = [:]
  private var code: Int32 = 0
  private let server: PostgresServer?
  private let services: RecipeServices?

  /// - Parameter example: the folder that is copied, and whose dates are moved to today.
  init(
    _ walkthrough: Walkthrough, copying example: URL?, on server: PostgresServer? = nil,
    with services: RecipeServices? = nil
  ) throws {
    self.services = services
    shell = try Shell()
    self.server = server
    age = try walkthrough.day.map { try Self.days(since: String($0)) } ?? 0
    guard let example else { return }
    let copied = try shell.run("cp -R '\(example.path)/.' . && rm -f README.md")
    try #require(copied.code == 0, "\(copied.err)")
    let names = FileManager.default.enumerator(atPath: shell.folder)?.allObjects as? [String] ?? []
    for name in names {
      let file = URL(filePath: shell.folder).appending(path: name)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      let moved = moved(services?.faked(text) ?? text)
      if moved != text { try Data(moved.utf8).write(to: file) }
    }
    guard server != nil else { return }
    let published = try shell.run(
      """
      \(variables(of: "ada"))git init -q -b main && git add -A && git commit -qm Begin && git clone -q --bare . ~/shop.git &&
      git remote add origin ~/shop.git && git fetch -q && git branch -q -u origin/main
      """)
    try #require(published.code == 0, "\(published.err)")
  }

  /// A laptop that reaches the server and the repository by their names.
  private func variables(of person: String) -> String {
    guard let server else { return "" }
    return """
      export PGHOSTADDR=127.0.0.1 PGPORT=\(server.port) PGSSLROOTCERT='\(server.directory)/ca.crt' PGUSER=\(person)
      export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.$HOME/shop.git.insteadOf" GIT_CONFIG_VALUE_0=git@git.example.com:shop
      export GIT_AUTHOR_NAME=\(person) GIT_AUTHOR_EMAIL=\(person)@example.com
      export GIT_COMMITTER_NAME=\(person) GIT_COMMITTER_EMAIL=\(person)@example.com
      \(person == "ada" ? "" : "export KEYPLAN_STORE='postgres://db.example.com/keys?project=shop'")

      """
  }

  /// Runs all of it; answers with the same walkthrough, with what was shown in the place of what does not fit.
  mutating func run(_ walkthrough: Walkthrough) throws -> Walkthrough {
    var found = walkthrough
    for (index, part) in walkthrough.parts.enumerated() {
      switch part {
      case .prose: break
      case .edit(let lines): try edit(lines)
      case .file(let name, let lines): try shell.write(lines, to: name)
      case .command(var command):
        let shown = try type(command)
        let isBlankAtEnd = command.shown.last == "" && shown.last != ""
        let expected = isBlankAtEnd ? Array(command.shown.dropLast()) : command.shown
        if fits(shown, expected) {
          bind(expected, shown)
        } else {
          Issue.record(
            "$ \(command.line)\n\(expected.joined(separator: "\n"))\n--- but:\n\(shown.joined(separator: "\n"))")
          // As on the day when the text was written, so that a later run moves it as it moves the rest.
          command.shown = shown.map { moved($0, by: -age) } + (isBlankAtEnd ? [""] : [])
          found.parts[index] = .command(command)
        }
      }
    }
    return found
  }

  private mutating func type(_ command: Walkthrough.Command) throws -> [String] {
    var person =
      command.person.map {
        variables(of: $0) + "export USER=\($0) HOME=\"$HOME/\($0)\"; mkdir -p \"$HOME\"\n"
      } ?? ""
    // Where there is no terminal to answer on, init contacts no server that only the manifest names.
    let isUnasked = server != nil && command.line.contains("keyplan init") && !command.line.contains("KEYPLAN_STORE")
    if isUnasked { person += "export KEYPLAN_STORE='postgres://db.example.com/keys?project=shop'\n" }
    let laptop = server == nil ? "" : command.person ?? ""
    let folder = folders[laptop] ?? "."
    let answer = try shell.run(
      """
      export COLUMNS=80; there=$PWD/.there; cd '\(folder)'; \(services?.setUp ?? "")\(person)test -f ~/.exports && . ~/.exports; (exit \(code))
      { \(real(moved(services?.faked(command.line) ?? command.line)))
      } 2>&1
      code=$?; \(isUnasked ? "unset KEYPLAN_STORE; " : "")pwd >"$there"; export -p | grep -E '^export (KEYPLAN_STORE|KEYPLAN_IDENTITY|VAULT_TOKEN)=' >~/.exports; exit $code
      """)
    code = answer.code
    folders[laptop] =
      (try? String(contentsOfFile: shell.folder + "/.there", encoding: .utf8))?.trimmingCharacters(
        in: .newlines) ?? folder
    unlink(shell.folder + "/.there")
    let home = command.person.map { ("<home>/\($0)/", "/home/\($0)/") } ?? ("<home>/", "/home/ada/")
    return (answer.out + answer.err).map { line in
      let line = line.replacing(home.0, with: home.1)
      return services?.shown(line) ?? line
    }
  }

  private func edit(_ lines: [String]) throws {
    let text = real(moved(lines.joined(separator: "\n") + "\n"))
    let folder = folders[""] ?? "."
    let place = URL(filePath: folder.hasPrefix("/") ? folder : shell.folder + "/" + folder)
    try Data(text.utf8).write(to: place.appending(path: ".edit"))
    let answer = try shell.run(
      "cd '\(folder)'; git apply --unidiff-zero --recount .edit; code=$?; rm .edit; exit $code")
    try #require(answer.code == 0, "\(answer.err.joined(separator: "\n"))\n\(text)")
  }

  /// Whether what was shown is what the text shows, but for what differs from run to run.
  func fits(_ shown: [String], _ expected: [String]) -> Bool {
    let (shown, expected) = (shown.map { Self.plain($0) }, expected.map { Self.plain(moved($0)) })
    let chunks = expected.split(separator: "…", omittingEmptySubsequences: false)
    guard chunks.count > 1, let first = chunks.first, let last = chunks.last else { return shown == expected }
    guard shown.starts(with: first), shown.count >= first.count + last.count,
      shown.suffix(last.count).elementsEqual(last)
    else { return false }
    var rest = shown.dropFirst(first.count).dropLast(last.count)
    for chunk in chunks.dropFirst().dropLast() {
      while !rest.starts(with: chunk) {
        guard !rest.isEmpty else { return false }
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst(chunk.count)
    }
    return true
  }

  private static var name: Regex<Substring> { /kp1-[0-9a-z]{26}|age1[0-9a-z]{58}|age1[0-9a-z]{6}…[0-9a-z]{12}/ }

  /// Learns what ids and recipients of the text are here.
  private mutating func bind(_ expected: [String], _ shown: [String]) {
    guard expected.count == shown.count else { return }
    for (line, other) in zip(expected, shown) {
      for (name, real) in zip(line.matches(of: Self.name), other.matches(of: Self.name)) {
        names[String(name.output)] = String(real.output)
      }
    }
  }

  private func real(_ text: String) -> String {
    text.replacing(Self.name) { names[String($0.output)] ?? String($0.output) }
  }

  /// Without what differs from run to run.
  static func plain(_ text: String) -> String {
    text.replacing(/kp1-[0-9a-z]{26}/, with: "ID")
      .replacing(/age1[0-9a-z]{58}|age1[0-9a-z]{6}…[0-9a-z]{12}/, with: "RECIPIENT")
      .replacing(/[Ss]tore `?[0-9a-f]{4}…/, with: "STORE")
      .replacing(/serial \d+/, with: "SERIAL")  // an apply makes more commits where its steps outside take longer
      // Two hours from now may be tomorrow.
      .replacing(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?Z?/, with: "TIME")
      .replacing(/(<home>|\/home\/[a-z]+)\//, with: "HOME/")
      .trimmingCharacters(in: .whitespaces)
  }

  /// Dates of the text, as many days from today as they were from the day when it was written.
  private func moved(_ text: String) -> String { moved(text, by: age) }

  private func moved(_ text: String, by days: Int) -> String {
    guard days != 0 else { return text }
    return text.replacing(/\d{4}-\d\d-\d\d/) { match in
      guard let date = try? Date(String(match.output), strategy: Self.style) else { return String(match.output) }
      return date.addingTimeInterval(Double(days) * 86400).formatted(Self.style)
    }
  }

  private static var style: Date.ISO8601FormatStyle { .iso8601.year().month().day() }

  private static func days(since day: String) throws -> Int {
    Int(try Date().timeIntervalSince(Date(day, strategy: style)) / 86400)
  }
}
