import Testing

/// What a terminal means: somebody who reviews the checkout, and who answers.
@Suite("At a terminal")
struct AttendedTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    try shell.write(["A=made-up"], to: ".env")
    try shell.write(
      [
        "version: 1", "keys: { a: { provider: generic, source: dotenv://.env#A } }",
        "targets: { app: { type: dotenv, path: app.env, keys: { A: a } } }",
      ], to: "keyplan.yaml")
    let made = try shell.run("keyplan init --quiet")
    try #require(made.code == 0, "\(made)")
  }

  @Test("a checkout is trusted, but not in a job of CI, though that may have a terminal")
  func checkout() throws {
    func id(_ variables: String...) throws -> String {
      let words = ["env", "-u", "KEYPLAN_CHECKOUT"] + variables + ["terminal", "keyplan", "plan", "--color", "never"]
      let answer = try shell.run(words.joined(separator: " "))
      return try #require(answer.out.last { $0.hasPrefix("kp1-") }, "\(answer)")
    }
    let (trusted, untrusted) = (try id("KEYPLAN_CHECKOUT=trusted"), try id("KEYPLAN_CHECKOUT=untrusted"))
    #expect(trusted != untrusted)
    #expect(try id() == trusted)
    for variable in ["CI=1", "CI=true", "GITHUB_ACTIONS=true", "JENKINS_URL=http://ci.example"] {
      #expect(try id(variable) == untrusted, "\(variable)")
    }
    #expect(try id("CI=false") == trusted)
    #expect(try id("CI=1", "KEYPLAN_CHECKOUT=trusted") == trusted)
  }

  @Test("a y confirms nothing: the whole word is asked for, three times at most")
  func confirmation() throws {
    func apply(_ answers: String...) throws -> Bool {
      let typed = answers.map { "answer=\($0)" }.joined(separator: " ")
      let answer = try shell.run("rm -f app.env; terminal \(typed) keyplan apply --color never")
      return shell.content(of: "app.env") == ["A=made-up"] && answer.code == 0
    }
    #expect(try !apply("y", "y", "y"))
    #expect(try !apply("Y", "n"))
    #expect(try apply("y", "yes"))
  }
}
