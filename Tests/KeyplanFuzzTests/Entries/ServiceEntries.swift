import KeyplanDocuments
import KeyplanJSON
import KeyplanSecrets

@testable import KeyplanHTTP
@testable import KeyplanRemote
@testable import KeyplanServices

extension FuzzEntry {
  static let services = [
    FuzzEntry(name: "json-answer", longest: 2048, check: json),
    FuzzEntry(name: "http-head", longest: 1024, check: head),
    FuzzEntry(name: "http-address", longest: 512, check: address),
    FuzzEntry(name: "sealed-identity", longest: 1024, check: identity),
    FuzzEntry(name: "aws-file", longest: 1024, check: file),
    FuzzEntry(name: "xml-answer", longest: 2048, check: xml),
    FuzzEntry(name: "kubeconfig", longest: 2048, check: kubeconfig),
    FuzzEntry(name: "template", longest: 256, check: template),
  ]

  /// The two readers of JSON accept the same texts, and find the same in them.
  private static func json(_ input: [UInt8]) throws(Violation) {
    let answer = JSONAnswer(SecretBox(input))
    let document = try? JSONDocument(input)
    // A document may be empty or begin with a byte order mark, and counts its levels from another start.
    let isPlain = !input.allSatisfy { $0 <= 0x20 } && !input.starts(with: [0xEF, 0xBB, 0xBF])
    let depth = input.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    if isPlain, depth < 60 {
      try require((answer == nil) == (document == nil), "one reader accepts it, the other does not")
    }
    guard let answer else { return }
    if let document {
      let names = answer.members(answer.root).map(\.name)
      try require(names == document.names, "the readers disagree about the names")
      for name in names.prefix(8) {
        guard let node = answer[name], let text = answer.text(node) else { continue }
        let same = try? document.value(at: JSONDocument.pointer(to: [name]))
        try require(same == .text(Array(text.utf8)), "the readers disagree about a string")
        try require(answer.secret(node)?.withBytes { Array($0) } == Array(text.utf8), "a secret is not its text")
      }
    }
    // Written as it is in the text, a part is JSON again.
    var writer = SecretWriter()
    answer.write(answer.root, to: &writer)
    try require(JSONAnswer(writer.finished()) != nil, "a part of the text is not JSON")
    var nested: Int? = 0
    if case .string = answer.root.content { nested = answer.text(answer.root)?.utf8.count }
    try require((nested ?? 0) <= input.count, "a string longer than its text")
    if let object = SecretObject(answer) { _ = object.names.map(object.contains) }
  }

  /// The head of a response.
  private static func head(_ input: [UInt8]) throws(Violation) {
    let response = input.withUnsafeBytes { HTTPResponse(status: 429, head: $0, body: SecretBox([])) }
    if let pause = response.pauseInHeader { try require(pause >= .zero, "a pause of \(pause)") }
    if let time = response.serverTime { try require((0...253_402_300_800).contains(time), "the time \(time)") }
  }

  /// An address never has another host for another parser, and is its own text.
  private static func address(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    guard let address = try? HTTPAddress(text) else { return }
    try require(address.text == text, "the text changed")
    try require(!text.dropFirst(8).prefix { $0 != "/" && $0 != "?" }.contains("@"), "user information")
    try require(
      address.host == address.host.lowercased() && !address.host.isEmpty, "the host \(address.host.debugDescription)")
    guard address.scheme == "https" else { return try require(address.isLoopback, "http to \(address.host)") }
    try require(
      text.lowercased().hasPrefix("https://\(address.host)"), "\(text.debugDescription) has the host \(address.host)")
  }

  /// An identity that a key management service opens is its own text.
  private static func identity(_ input: [UInt8]) throws(Violation) {
    guard let identity = SealedIdentity(SecretBox(input)) else { return }
    guard let again = SealedIdentity(SecretBox(Array(identity.text.utf8))) else {
      throw Violation("its own text is refused")
    }
    try require(again.text == identity.text, "its own text is another identity")
  }

  private static func file(_ input: [UInt8]) throws(Violation) {
    let file = AWSSharedFile(SecretBox(input))
    for section in ["default", "profile ci"] where file.hasSection(section) {
      for name in ["aws_access_key_id", "region", "role_arn"] {
        let text = file.text(name, in: section)
        try require((text?.utf8.count ?? 0) <= 3 * input.count, "a setting longer than its file")
        try require((text == nil) == (file.secret(name, in: section) == nil), "a setting that is only half there")
      }
    }
  }

  /// Every text is in the answer, and is the same as a secret.
  private static func xml(_ input: [UInt8]) throws(Violation) {
    guard let answer = XMLAnswer(SecretBox(input)) else { return }
    var elements = [answer.root]
    while let element = elements.popLast() {
      try require(!element.name.isEmpty && element.name.utf8.count < input.count, "an element without a name")
      for name in Set(element.children.map(\.name)) {
        guard let secret = answer.secret(name, of: element) else { continue }
        let bytes = secret.withBytes { Array($0) }
        try require(!bytes.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }, "markup in a text")
        try require(input.firstRange(of: bytes) != nil, "a text that is not in the answer")
        let text = String(decoding: bytes, as: UTF8.self)
        try require(answer.text(name, of: element) == text, "a secret is not its text")
      }
      elements += element.children
    }
  }

  private static func kubeconfig(_ input: [UInt8]) throws(Violation) {
    var merged = Kubeconfig()
    guard merged.add(input, folder: "/home/ada/.kube") else { return }
    let before = merged.contexts.count
    try require(
      merged.add(input, folder: "/home/ada/.kube") && merged.contexts.count == before, "the same file adds contexts")
  }

  private static func template(_ input: [UInt8]) throws(Violation) {
    guard let text = String(validating: input, as: UTF8.self), let template = try? Template(text) else { return }
    try require(template.variables.count <= text.utf8.count, "more variables than letters")
  }
}
