import KeyplanModel
import Testing

@Suite("A term about a file")
struct FileTermTests {
  @Test(
    "is read as it was written",
    arguments: [
      FileTerm("./vault.sh", .digest("sha256:01")), FileTerm("a b", .missing),
      FileTerm("./x unknown:size", .digest("sha256:01")),
      FileTerm("$KUBECONFIG", .unknown(.directory)), FileTerm("", .unknown(.link)),
    ])
  func roundTrip(term: FileTerm) { #expect(FileTerm(term.description) == term) }

  @Test("is no other term", arguments: ["file", "file ", "variable A", "files a b"])
  func other(text: String) { #expect(FileTerm(text)?.content.reason == nil) }

  @Test("permits nothing if the content is unknown, although it was recorded so", arguments: FileTerm.Reason.allCases)
  func unknown(reason: FileTerm.Reason) {
    let item = ExternalAccess(.command, "./run.sh ./thing")
    let terms: Set = [FileTerm("./thing", .unknown(reason)).description]
    let surface = Surface([item: terms])
    #expect(!surface.permits(item, with: terms))
    let known: Set = [FileTerm("./thing", .missing).description]
    #expect(Surface([item: known]).permits(item, with: known))
  }
}
