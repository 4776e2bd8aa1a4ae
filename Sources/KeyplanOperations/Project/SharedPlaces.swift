internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning

/// Places that targets of several environments write to, each overwriting the other's values.
struct SharedPlaces {
  /// The environments, by their positions, and the error.
  let all: [(projects: [Int], diagnostic: Diagnostic)]

  init(among projects: [Project]) {
    var users: [String: [(project: Int, name: Identifier<Target>, target: Target)]] = [:]
    for (index, project) in projects.enumerated() {
      for (name, target) in project.reading.manifest?.targets ?? [:] {
        users["\(target.destination.type) \(target.destination.location)", default: []].append((index, name, target))
      }
    }
    var all: [(projects: [Int], diagnostic: Diagnostic)] = []
    for found in users.values where found.count > 1 {
      var rest = found.sorted { $0.project < $1.project }
      while let first = rest.first {
        let same = rest.filter { Self.isSame(first.target.destination, projects[first.project], projects[$0.project]) }
        rest.removeAll { user in user.project == first.project || same.contains { $0.project == user.project } }
        guard let last = same.last, last.project != first.project else { continue }
        let names = same.map { EveryEnvironment.name(of: projects[$0.project]) }
        all.append(
          (
            same.map(\.project),
            Diagnostic(
              .conflict,
              "The environments \(names.joined(separator: ", ")) write to \(first.target.destination.location), each over the values of the "
                + "others.", hint: "Give target \"\(last.name)\" another place in each of them.", at: last.target.place,
              of: .target(last.name))
          ))
      }
    }
    self.all = all.sorted { $0.diagnostic < $1.diagnostic }
  }

  /// Whether a place is the same in two environments. A connection without an address of its own can lead elsewhere with another
  /// credential, and variables of the environment can differ.
  private static func isSame(_ place: Destination, _ one: Project, _ other: Project) -> Bool {
    let (first, second) = (
      one.reading.manifest?.connection(named: place.type), other.reading.manifest?.connection(named: place.type)
    )
    guard let first, let second else { return first == nil && second == nil }
    let isKnown = !first.hosts.contains { $0.text.hasPrefix("$") }
    let hasAddress = first.declared.contains { first.values[$0]?.description.contains("://") == true }
    let hasCredential = first.secrets.contains { $0.scheme != "env" }
    return first.type == second.type && first.values == second.values && isKnown && (hasAddress || hasCredential)
  }
}
