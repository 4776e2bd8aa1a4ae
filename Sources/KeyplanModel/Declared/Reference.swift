/// Names a place that contains a secret; never contains one. `env://OPENAI_API_KEY`, `dotenv://.env#NAME`, or a command.
package struct Reference: Hashable, Sendable, Codable {
  /// The scheme: `env`, `file`, `dotenv`, `json`, `plist`, `yaml`, `command`, or the name of a connection.
  package let scheme: String
  /// The part between `://` and `#`, percent-decoded: a variable's name, or a path relative to the manifest. Empty for a command.
  package let location: String
  /// The part after `#`, percent-decoded: a name, a JSON Pointer (RFC 6901) or a path of keys.
  package let selector: String?
  /// The program and its arguments; for `command` only. No shell is involved, ever.
  package let arguments: [String]
  /// The time limit of a command; nil for the default.
  package let timeout: Interval?
  /// Variables that a command gets in addition to the allow-list; for `command` only.
  package let variables: [String]
  /// The working directory of a command, relative to the manifest; nil for a private empty one.
  package let directory: String?
  /// Arguments of a command that name data and not code: a change of these files needs no new permission.
  package let data: [String]
  /// Whether the location is a file's path.
  package let isFile: Bool
  /// Whether the value is local to this machine, so that its absence elsewhere means nothing.
  package let isLocal: Bool
  /// The permission that is required before this reference may be read. Nil inside the manifest's folder.
  package let surface: ExternalAccess?

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(
    scheme: String, location: String = "", selector: String? = nil, arguments: [String] = [],
    timeout: Interval? = nil, variables: [String] = [], directory: String? = nil, data: [String] = [],
    isFile: Bool = false,
    isLocal: Bool, surface: ExternalAccess? = nil
  ) {
    self.scheme = scheme
    self.location = location
    self.selector = selector
    self.arguments = arguments
    self.timeout = timeout
    self.variables = variables
    self.directory = directory
    self.data = data
    self.isFile = isFile
    self.isLocal = isLocal
    self.surface = surface
  }
}

extension Reference {
  /// The container of the value, without the value's name: `dotenv://.env`. Several keys can share one.
  package var container: String {
    selector == nil ? description : "\(scheme)://\(Self.written(location: location))"
  }
  /// The place without the selector, for comparing two references: a file's path, or the scheme and the location of anything else.
  package var whole: String { isFile ? location : "\(scheme)://\(location)" }

  /// The terms of the permission to read it, in addition to the item: everything that changes what a command does or gets.
  package var terms: Set<String> {
    var terms = Set(variables.map { "variable \($0)" } + data.map { "data \($0)" })
    if let timeout { terms.insert("timeout \(timeout.seconds)s") }
    if let directory { terms.insert("directory \(directory)") }
    return terms
  }
}

extension Reference: CustomStringConvertible {
  /// The canonical text, as people read it and as the store records it. It is valid in a manifest.
  package var description: String {
    guard scheme != "command" else { return "command: " + (surface?.text ?? arguments.joined(separator: " ")) }
    let whole = "\(scheme)://\(Self.written(location: location))"
    guard let selector else { return whole }
    return "\(whole)#\(Self.written(selector: selector))"
  }

  /// A location with the escapes that it needs in a reference (RFC 3986, section 2.1).
  package static func written(location: String) -> String { escaped(location, including: UInt8(ascii: "#")) }

  /// A selector with the escapes that it needs in a reference.
  package static func written(selector: String) -> String { escaped(selector, including: nil) }

  private static func escaped(_ text: String, including other: UInt8?) -> String {
    func needsEscape(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "%") || byte < 0x20 || byte == 0x7F || byte == other
    }
    guard text.utf8.contains(where: needsEscape) else { return text }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if needsEscape(byte) {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
