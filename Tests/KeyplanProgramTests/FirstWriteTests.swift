import Testing

@Suite("A plan that writes a file for the first time")
struct FirstWriteTests {
  @Test("warns if git does not ignore it, and not again once it was written")
  func ignored() throws {
    let shell = try Shell(columns: 200)
    try shell.write(["A=made-up"], to: ".env")
    try shell.write([".env"], to: ".gitignore")
    try shell.write(
      [
        "version: 1", "keys: { a: { provider: generic, source: dotenv://.env#A } }",
        "targets: { app: { type: dotenv, path: app.env, keys: { A: a } } }",
      ], to: "keyplan.yaml")
    let made = try shell.run("git init -q . && keyplan init --quiet")
    try #require(made.code == 0, "\(made)")
    func warns() throws -> Bool {
      let plan = try shell.run("keyplan plan")
      #expect(plan.code == 0, "\(plan)")
      guard plan.out.contains("warning: Target not ignored by git") else { return false }
      #expect(plan.out.contains { $0.contains("git does not ignore app.env") }, "\(plan)")
      #expect(plan.out.contains("  hint: Add this line to .gitignore: /app.env"), "\(plan)")
      return true
    }
    #expect(try warns())
    _ = try shell.run("echo /app.env >>.gitignore")
    #expect(try !warns())
    try shell.write([".env"], to: ".gitignore")
    #expect(try shell.run("keyplan apply --yes --quiet").code == 0)
    try shell.write(["A=another"], to: ".env")
    #expect(try !warns())
  }
}
