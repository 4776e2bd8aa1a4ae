import KeyplanCodecs
import KeyplanSecrets

/// A stanza on a pipe to or from a plugin: as in a header.
package struct PluginStanza: Sendable {
  let stanza: Stanza

  init(_ stanza: Stanza) { self.stanza = stanza }

  init(_ arguments: String..., body: [UInt8] = []) {
    stanza = Stanza(arguments: arguments.map { Array($0.utf8) }, body: body)
  }

  init(_ command: String, _ argument: [UInt8]) {
    stanza = Stanza(arguments: [Array(command.utf8), argument], body: [])
  }

  var command: String { String(decoding: stanza.type, as: UTF8.self) }
  /// The arguments after the command.
  var arguments: ArraySlice<[UInt8]> { stanza.arguments.dropFirst() }
  var body: [UInt8] { stanza.body }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    // Room for all, so that no outgrown buffer with a file key remains in memory.
    bytes.reserveCapacity(stanza.arguments.reduce(8) { $0 + $1.count + 1 } + body.count * 2 + 2)
    stanza.append(to: &bytes)
    return bytes
  }
}

/// Reads stanzas from a plugin's output as it arrives. The size of the output is bounded.
package struct PluginStanzaReader: Sendable {
  /// The longest line of a stanza, and its largest body.
  private static let maximumLine = 16 << 10
  private static let maximumBody = 64 << 10
  /// All output of one run.
  private static let maximumTotal = 1 << 20

  private var line: [UInt8] = []
  private var arguments: [[UInt8]]?
  private var body: [UInt8] = []
  private var total = 0

  package init() { line.reserveCapacity(Self.maximumLine) }

  /// Adds a byte.
  /// - Returns: the stanza that ends with it, if one does.
  package mutating func add(_ byte: UInt8) throws(PluginFault) -> PluginStanza? {
    total += 1
    guard total <= Self.maximumTotal else { throw .malformed(.total) }
    guard byte == UInt8(ascii: "\n") else {
      guard line.count < Self.maximumLine else { throw .malformed(.size) }
      line.append(byte)
      return nil
    }
    defer {
      // It may have been a file key.
      line.withUnsafeMutableBytes { zero($0) }
      line.removeAll(keepingCapacity: true)
    }
    guard let arguments else {
      guard line.starts(with: "-> ".utf8), let found = Stanza.arguments(of: line[...]) else {
        throw .malformed(.stanza)
      }
      self.arguments = found
      return nil
    }
    guard line.count <= Stanza.columns, let bytes = Base64.bytes(in: line[...]) else { throw .malformed(.stanza) }
    body += bytes
    guard body.count <= Self.maximumBody else { throw .malformed(.size) }
    guard line.count < Stanza.columns else { return nil }
    defer { (self.arguments, body) = (nil, []) }
    return PluginStanza(Stanza(arguments: arguments, body: body))
  }
}
