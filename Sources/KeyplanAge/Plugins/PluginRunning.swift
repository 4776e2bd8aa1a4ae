/// Runs the programs of age plugins.
package protocol PluginRunning: Sendable {
  /// Runs `age-plugin-NAME` for one exchange and returns the exchange as it ended. Blocks.
  /// - Throws: `AgeError.plugin`
  func run<Exchange: PluginExchange>(_ plugin: PluginName, _ exchange: Exchange) throws(AgeError) -> Exchange
}

/// The messages to a plugin and the handling of its answers, without a process (C2SP age-plugin.md).
package protocol PluginExchange: Sendable {
  /// The state machine that the plugin is asked for: `recipient-v1` or `identity-v1`.
  static var machine: String { get }
  /// All stanzas of the first phase. Contains secrets.
  var opening: [UInt8] { get }
  /// The step that follows from a stanza of the plugin.
  mutating func receive(_ stanza: PluginStanza) throws(PluginFault) -> PluginStep
}

/// The step that follows from a stanza of a plugin.
package enum PluginStep: Sendable {
  case answer(PluginAnswer)
  /// A person is asked, and the plugin gets the answer.
  case ask(PluginQuestion)
  /// The plugin has nothing more to say.
  case done
  /// The plugin reported an error. It still gets an answer.
  case reported(String)
}

/// A question of a plugin to a person. The texts have no control characters.
package enum PluginQuestion: Hashable, Sendable {
  case show(String)
  /// With the words for yes and for no, if there is a choice.
  case confirm(String, yes: String, no: String?)
  case request(String, isHidden: Bool)
}

/// An answer to a plugin.
package enum PluginAnswer: Sendable {
  case ok
  case yes
  case no
  case value([UInt8])
  /// The user could not be asked, or gave no answer.
  case failed
  /// The plugin's command is unknown.
  case unsupported

  /// As it is sent. May contain a secret.
  package var bytes: [UInt8] {
    switch self {
    case .ok: PluginStanza("ok").bytes
    case .yes: PluginStanza("ok", "yes").bytes
    case .no: PluginStanza("ok", "no").bytes
    case .value(let value): PluginStanza("ok", body: value).bytes
    case .failed: PluginStanza("fail").bytes
    case .unsupported: PluginStanza("unsupported").bytes
    }
  }
}

/// The failure of a plugin.
package enum PluginFault: Error, Hashable, Sendable {
  /// keyplan runs no plugins here.
  case notSupported
  case notFound
  /// A sentence of the system's side.
  case notRun(String)
  /// It ended before it said that it was done.
  case ended
  case timedOut
  case interrupted
  /// Its own words, without control characters.
  case reported(String)
  /// It does not keep to the protocol.
  case malformed(Malformation)
  /// It demands labels that no file of keyplan has.
  case labels([String])

  /// The raw value completes a sentence about the plugin.
  package enum Malformation: String, Sendable {
    case stanza = "wrote something that is not a stanza"
    case size = "wrote a stanza that is too large"
    case total = "wrote too much"
    case command = "wrote a command with arguments that do not belong to it"
    case messages = "asked too much"
    case text = "wrote a text that is not UTF-8"
    case repeated = "answered twice"
    case fileKey = "returned a file key without exactly 16 bytes"
    case noStanza = "returned no stanza"
    case native = "returned a stanza that is malformed, or only for a passphrase"
  }
}

extension PluginFault {
  /// Completes a sentence about the plugin.
  var words: String {
    switch self {
    case .notSupported: "is not run here"
    case .notFound: "was not found in PATH"
    case .notRun(let reason): "could not be run: \(reason)"
    case .ended: "ended before it had answered"
    case .timedOut: "did not answer in time and was stopped"
    case .interrupted: "was stopped before it had answered"
    case .reported(let text): "reported: \(text)"
    case .malformed(let fault): fault.rawValue
    case .labels(let labels): "demands labels that keyplan does not know: \(labels.joined(separator: ", "))"
    }
  }
}
