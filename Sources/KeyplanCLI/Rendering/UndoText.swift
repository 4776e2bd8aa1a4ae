internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanStore

/// What is said of undoing a move: what it costs, and when it is done.
struct UndoText {
  private let left: MoveUndoing.Left
  private let loss: MoveUndoing.Loss
  private let place: StorePlace
  private let project: Project
  private let style: Style
  private let setting: String?

  /// - Parameter setting: what `store` in the manifest has to say; nil where that word is not needed.
  init(
    _ left: MoveUndoing.Left, _ loss: MoveUndoing.Loss, _ place: StorePlace, of project: Project, setting: String?,
    _ style: Style
  ) {
    (self.left, self.loss, self.place, self.project, self.style) = (left, loss, place, project, style)
    self.setting = setting
  }

  /// What it would mean.
  var before: String {
    var page = Page(style: style)
    let state = StoreState(id: left.facts.id, serial: left.facts.serial, epoch: left.facts.epoch)
    Heading.put("store move --undo", environment: place.environment, store: state, on: &page)
    page.end()
    let left = Spans.count(left.records, "record") + " and " + Spans.count(left.values, "value")
    for (word, text) in [("here", "\(place.shown): \(left), as of \(moment)"), ("lost", lost)] {
      page.move(to: 2)
      page.put(word, .strong)
      page.move(to: 9)
      page.prose(text, indent: 9)
      page.end()
    }
    for paragraph in [consequence, pinned] {
      page.end()
      page.prose(paragraph, indent: 0)
      page.end()
    }
    return page.text
  }

  private var moment: String {
    "serial \(left.facts.serial)" + (left.at.map { ", \(style.time($0))" } ?? "") + ", when it was moved away"
  }

  private var lost: String {
    switch loss {
    case .unreachable(let reason): "\(left.to). \(reason)"
    case .absent where left.to.hasPrefix("/"): "\(left.to). There is none on this machine; on another one it may be."
    case .absent: "\(left.to). The server answers, and has no such store."
    case .anotherStore: "\(left.to). What is there is another store."
    }
  }

  private var consequence: String {
    let accounts = left.accounts.map { "calendar.\($0)" }.joined(separator: ", ")
    return
      "Everything that was written there since then is given up: values, versions, tokens, and what targets were given."
      + (accounts.isEmpty
        ? "" : " What was refreshed there of \(accounts) may be used up here, and then wants a new sign-in.")
  }

  private var pinned: String {
    place.pin == nil
      ? "No keyplan.lock names this store: should the other one come back, nobody would notice that there are two."
      : "The store gets a fresh root key, which keyplan.lock then names: should the other one come back, it is refused. "
        + "Plans that were saved before are refused, too."
  }

  /// That it is done, and how the store is found from now on.
  func done(_ options: GlobalOptions, in world: World) -> String {
    var lines = ["Undone: \(place.shown) is the store again.\n"]
    if place.pin != nil {
      lines.append("Next: commit keyplan.lock: it names the fresh root key.\n")
    }
    let named = project.reading.settings.store
    if named != setting {
      let file = project.texts.last?.file ?? project.shown
      if let setting {
        lines.append("Next: this line in \(file):\n\n  store: \(setting)\n")
      } else {
        lines.append("Next: take `store` out of \(file): this is the default.\n")
      }
    }
    if options.common.store != nil, world.variable("KEYPLAN_STORE") != nil {
      lines.append(
        "KEYPLAN_STORE goes before the manifest: wherever keyplan is run, it must not name the lost place.\n")
    }
    lines.append("Then: keyplan plan\n")
    return lines.joined(separator: "\n")
  }
}
