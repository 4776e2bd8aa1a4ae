import Testing

/// What some editors of Windows write before the text of a file.
@Suite("An identity file with a byte order mark")
struct ByteOrderMarkTests {
  @Test("is read without it; one in UTF-16 is named as that")
  func read() throws {
    let shell = try Shell()
    try shell.write(["version: 1", "keys: { a: { provider: generic, source: env://A } }"], to: "keyplan.yaml")
    let made = try shell.run("keyplan init --quiet && A=made-up keyplan apply --yes --quiet")
    try #require(made.code == 0, "\(made)")
    func get(_ mark: String) throws -> Shell.Answer {
      let marked = "(umask 077; { printf '\(mark)'; cat ~/.config/keyplan/identity.txt; } >marked.txt)"
      return try shell.run("\(marked); keyplan get a --identity marked.txt")
    }
    #expect(try get("").out == ["made-up<no newline>"])
    #expect(try get("\\357\\273\\277").out == ["made-up<no newline>"])
    let other = try get("\\377\\376")
    #expect(other.code == 9 && other.err.contains { $0.contains("UTF-16") }, "\(other)")
  }
}
