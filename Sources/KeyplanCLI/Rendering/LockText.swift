internal import KeyplanCore
internal import KeyplanStore

/// Who holds the locks of a store, for people.
enum LockText {
  static func render(
    _ store: StoreLock.Holder?, _ accounts: [StoreLock.AccountHolder], at place: String, style: Style
  ) -> String {
    var text = store.map { lines($0, of: place, breaking: "", style) } ?? "Nobody holds the lock of \(place).\n"
    for lock in accounts {
      // Without its name it cannot be named to the server either.
      text += lines(
        lock.holder, of: lock.account.map { "calendar.\($0)" } ?? "An account that is not in the manifest",
        breaking: lock.account.map { " --account \($0)" }, style)
    }
    return text
  }

  private static func lines(_ holder: StoreLock.Holder, of what: String, breaking option: String?, _ style: Style)
    -> String
  {
    var text =
      "\(what) is locked by process \(holder.process) on \(holder.host) since \(style.time(holder.since)): "
      + "\(holder.command)\n"
    if let job = holder.job { text += "  job         \(job)\n" }
    if let silence = holder.silence { text += "  last heard  \(silence) s ago\n" }
    if let id = holder.id, let option { text += "  break it    keyplan unlock \(id)\(option)\n" }
    return text
  }
}
