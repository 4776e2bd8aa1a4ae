internal import KeyplanAge
internal import KeyplanLocal
internal import KeyplanReporting
internal import KeyplanSecrets

extension World {
  /// Runs age plugins. Costs nothing until one is run.
  var plugins: any PluginRunning { WorldPlugins(world: self) }

  /// The programs, from neither the work tree of the working directory nor that of the manifest. Their questions are shown to the user at
  /// the terminal.
  var pluginPrograms: PluginPrograms {
    let manifest = try? Project.find(in: self)
    let folders = [directory] + [manifest.map { Project.parent(of: $0) }].compactMap(\.self)
    return PluginPrograms(folders.map { sourceContext($0) }) { [console] in PluginQuestions(console, $0).answer($1) }
  }
}

private struct WorldPlugins: PluginRunning {
  let world: World

  func run<Exchange: PluginExchange>(
    _ plugin: PluginName, _ exchange: Exchange
  ) throws(AgeError) -> Exchange { try world.pluginPrograms.run(plugin, exchange) }
}

/// Puts a plugin's questions to a person.
private struct PluginQuestions {
  private let console: any Console
  private let plugin: PluginName

  init(_ console: any Console, _ plugin: PluginName) { (self.console, self.plugin) = (console, plugin) }

  /// Nil after an interruption.
  func answer(_ question: PluginQuestion) -> PluginAnswer? {
    guard console.canAsk else { return .failed }
    do throws(Failure) {
      switch question {
      case .show(let text):
        console.show("\(plugin.program): \(text)\n")
        return .ok
      case .confirm(let text, let yes, nil):
        return try console.confirm("\(plugin.program): \(text)\n(\(yes))") ? .yes : .failed
      case .confirm(let text, let yes, let no?):
        return try console.confirm("\(plugin.program): \(text)\n(yes: \(yes); otherwise: \(no))") ? .yes : .no
      case .request(let text, let isHidden):
        let prompt = "\(plugin.program): \(text): "
        guard let value = isHidden ? try console.secret(prompt) : try console.text(prompt) else { return .failed }
        return .value(value.withBytes { Array($0) })
      }
    } catch {
      return nil
    }
  }
}
