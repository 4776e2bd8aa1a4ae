import KeyplanAge

/// Both phases of an exchange with a plugin that was started.
struct PluginConversation<Exchange: PluginExchange> {
  private var exchange: Exchange
  private let process: ChildProcess
  private let clock: PluginPrograms.Clock
  private var deadline: Duration
  private let ask: (PluginQuestion) -> PluginAnswer?
  private var reader = PluginStanzaReader()

  init(
    _ exchange: Exchange, with process: ChildProcess, _ clock: PluginPrograms.Clock,
    asking ask: @escaping (PluginQuestion) -> PluginAnswer?
  ) {
    (self.exchange, self.process, self.clock, self.ask) = (exchange, process, clock, ask)
    deadline = clock.now() + clock.patience
  }

  /// - Throws: unless the plugin says that it is done.
  mutating func run() throws(PluginFault) -> Exchange {
    try send(exchange.opening)
    while true {
      let stanza = try next()
      switch try exchange.receive(stanza) {
      case .done: return exchange
      case .answer(let answer): try send(answer.bytes)
      case .ask(let question):
        let asked = clock.now()
        guard let answer = ask(question) else { throw .interrupted }
        deadline += clock.now() - asked
        try send(answer.bytes)
      case .reported(let text):
        // It may have ended already.
        try? send(PluginAnswer.ok.bytes)
        throw .reported(text)
      }
    }
  }

  private mutating func next() throws(PluginFault) -> PluginStanza {
    while true {
      switch process.readByte() {
      case .byte(let byte): if let stanza = try reader.add(byte) { return stanza }
      case .ended: throw .ended
      case .nothing: try wait(forInput: true)
      }
    }
  }

  private func send(_ bytes: [UInt8]) throws(PluginFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch process.write(rest) {
      case nil: throw .ended
      case 0?: try wait(forInput: false)
      case let count?: rest = rest.dropFirst(count)
      }
    }
  }

  private func wait(forInput: Bool) throws(PluginFault) {
    repeat {
      if Task.isCancelled { throw .interrupted }
      guard clock.now() < deadline else { throw .timedOut }
    } while !process.wait(forInput: forInput)
  }
}
