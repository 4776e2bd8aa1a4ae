import KeyplanModel

/// The zones of one calendar object: those that it defines, then those of the system.
struct ZoneBook {
  private let definitions: [String: ZoneDefinition]
  private let years: ClosedRange<Int>
  /// The files of the system's zones that were read, for the next object.
  private(set) var files: ZoneFiles
  private var known: [String: ClockZone?] = [:]

  /// - Parameters:
  ///   - years: the years of all times that are converted.
  init(_ definitions: [ZoneDefinition], years: ClosedRange<Int>, _ files: ZoneFiles) {
    self.definitions = Dictionary(definitions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.years = years
    self.files = files
  }

  /// The clock that shows a time.
  mutating func clock(of time: ICalTime, _ budget: inout WorkBudget) throws(SeriesFault) -> EventClock {
    switch time {
    case .date: .days
    case .utc: .zone(.utc, name: nil)
    case .floating: .wall(zone: nil)
    case .zoned(_, let name): try zone(named: name, &budget).map { .zone($0, name: name) } ?? .wall(zone: name)
    }
  }

  private mutating func zone(
    named name: String, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> ClockZone? {
    if let zone = known[name] { return zone }
    let zone = try definitions[name]?.zone(years: years, &budget) ?? systemZone(name)
    known[name] = .some(zone)
    return zone
  }

  private mutating func systemZone(_ name: String) -> ClockZone? {
    for candidate in Self.candidates(for: name) {
      if ["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"].contains(candidate) { return .utc }
      if let zone = files.file(named: candidate) { return zone.zone(through: years.upperBound + 1) }
    }
    return nil
  }

  /// Some programs put a prefix of their own in front: `/mozilla.org/20050126_1/Europe/Berlin`.
  private static func candidates(for name: String) -> [String] {
    let parts = name.split(separator: "/")
    let ends = stride(from: min(3, parts.count), through: 1, by: -1).map { parts.suffix($0).joined(separator: "/") }
    return name.hasPrefix("/") ? ends : [name]
  }
}

/// The system's zone data, each file read once.
struct ZoneFiles {
  private let read: (String) -> [UInt8]?
  private var known: [String: ZoneFile?] = [:]

  init(reading read: @escaping (String) -> [UInt8]?) { self.read = read }

  mutating func file(named name: String) -> ZoneFile? {
    if let file = known[name] { return file }
    let file = read(name).flatMap { ZoneFile($0) }
    known[name] = .some(file)
    return file
  }
}
