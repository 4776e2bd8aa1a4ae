package import KeyplanModel

/// The first line of a command's report: its name, the environment and the store.
package enum Heading {
  /// `keyplan plan   production · store 7f3a… serial 41`
  package static func put(
    _ command: String, environment: String?, store: StoreState?, showsApplied: Bool = false, on page: inout Page
  ) {
    var parts = environment.map { [$0] } ?? []
    if let store {
      parts.append("store \(short(store.id))\(page.style.text(.ellipsis)) serial \(store.serial)")
      if showsApplied { parts.append(store.lastApply(page.style).map { "applied \($0)" } ?? "never applied") }
    } else {
      parts.append("no store yet")
    }
    page.put("keyplan \(command)", .strong)
    let last = parts.count - 1
    page.flow(
      parts.enumerated().map { index, part in
        Run(index == last ? part : "\(part) \(page.style.text(.dot))", gap: index == 0 ? 3 : 1)
      }, indent: 2)
    page.end()
  }

  /// The first four digits of a store's id: enough to distinguish two stores at a glance.
  package static func short(_ id: String) -> Substring { id.prefix(4) }
}
