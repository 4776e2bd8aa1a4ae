import KeyplanCodecs

/// The part of the header for one recipient: `-> TYPE ARGUMENT…`, then the body in base64.
struct Stanza {
  /// The type first. Each argument is one or more visible ASCII characters.
  let arguments: [[UInt8]]
  let body: [UInt8]

  static let columns = 64

  var type: [UInt8] { arguments[0] }

  init(arguments: [[UInt8]], body: [UInt8]) {
    self.arguments = arguments
    self.body = body
  }

  /// - Parameter line: The first line, beginning with `-> `.
  init(startingWith line: ArraySlice<UInt8>, followedBy lines: inout HeaderLines) throws(AgeError) {
    guard let arguments = Self.arguments(of: line) else { throw .header(.argument, line: lines.number) }
    var body: [UInt8] = []
    var isComplete = false
    while !isComplete {
      let line = try lines.next()
      guard line.count <= Self.columns, let bytes = Base64.bytes(in: line) else {
        throw .header(.body, line: lines.number)
      }
      body += bytes
      isComplete = line.count < Self.columns
    }
    self.init(arguments: arguments, body: body)
  }

  /// The arguments in a first line, the type first; nil if one is empty, or has other than visible ASCII characters.
  static func arguments(of line: ArraySlice<UInt8>) -> [[UInt8]]? {
    let arguments = line.dropFirst(3).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else { return nil }
    return arguments.map(Array.init)
  }

  func append(to header: inout [UInt8]) {
    header += "->".utf8
    for argument in arguments {
      header.append(UInt8(ascii: " "))
      header += argument
    }
    header.append(UInt8(ascii: "\n"))
    let text = Base64.text(of: body)
    // The last line is always short, which marks the end: an extra empty line if the body fills its lines.
    for start in stride(from: 0, through: text.count, by: Self.columns) {
      header += text[start..<min(start + Self.columns, text.count)]
      header.append(UInt8(ascii: "\n"))
    }
  }
}
