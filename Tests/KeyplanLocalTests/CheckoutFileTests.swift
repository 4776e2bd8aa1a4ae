import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

/// Digests without a key: the sum of the bytes.
struct Sums: FileDigesting {
  func digest(ofFile bytes: [UInt8]) -> [UInt8]? {
    let sum = bytes.reduce(0) { $0 + Int($1) }
    return [UInt8(sum >> 8 & 0xff), UInt8(sum & 0xff)]
  }
}

/// The files of the checkout that a connection reads.
@Suite("A file that a connection reads") struct CheckoutFileTests {
  private static func file(_ path: String, surface: ExternalAccess? = nil) -> Reference {
    Reference(scheme: "file", location: path, isFile: true, isLocal: true, surface: surface)
  }

  private static func terms(_ scratch: Scratch, _ files: Reference...) -> [String] {
    CheckoutInspector(SourceContext(scratch), digests: Sums()).terms(ofFiles: files).values.sorted()
  }

  @Test("has its name and the digest of its content as a term")
  func digest() throws {
    let scratch = try Scratch()
    try scratch.write("abc", to: "ca.pem")
    let digest = "hmac:0126"
    #expect(Self.terms(scratch, Self.file("ca.pem")) == ["file ca.pem \(digest)"])
    try scratch.write("abd", to: "ca.pem")
    #expect(Self.terms(scratch, Self.file("ca.pem")) != ["file ca.pem \(digest)"])
  }

  @Test(
    "has no digest if it is missing, a directory, or a link out of the work tree, whose digest would show what is there"
  )
  func unknown() throws {
    let (scratch, elsewhere) = (try Scratch(), try Scratch())
    try elsewhere.write("made-up", to: "secret")
    try FileManager.default.createSymbolicLink(atPath: scratch["link.pem"], withDestinationPath: elsewhere["secret"])
    try scratch.write("abc", to: "inner.pem")
    try FileManager.default.createSymbolicLink(atPath: scratch["near.pem"], withDestinationPath: "inner.pem")
    try scratch.folder("folder.pem")
    #expect(
      Self.terms(scratch, Self.file("link.pem"), Self.file("none.pem"), Self.file("folder.pem")) == [
        "file folder.pem unknown:directory", "file link.pem unknown:link", "file none.pem missing",
      ])
    #expect(Self.terms(scratch, Self.file("near.pem")).first?.hasPrefix("file near.pem hmac:") == true)
  }

  @Test("outside the manifest's folder has a permission of its own, and no term")
  func outside() throws {
    let scratch = try Scratch()
    #expect(Self.terms(scratch, Self.file("/etc/ca.pem", surface: ExternalAccess(.path, "/etc/ca.pem"))).isEmpty)
  }
}
