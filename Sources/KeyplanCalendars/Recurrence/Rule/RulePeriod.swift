/// The local times of one period of a rule in order: each of its days at each of its times of day. They are never
/// written out, since a year can have 31 million.
struct RulePeriod {
  let days: [CivilDay]
  let hours, minutes, seconds: [Int]

  var count: Int { days.count * perDay }

  private var perDay: Int { hours.count * minutes.count * seconds.count }

  subscript(index: Int) -> LocalTime {
    let inHour = minutes.count * seconds.count
    let inDay = index % perDay
    let hour = hours[inDay / inHour]
    let minute = minutes[inDay % inHour / seconds.count]
    return LocalTime(days[index / perDay], second: hour * 3600 + minute * 60 + seconds[inDay % seconds.count])
  }

  /// The index of the first time that is not before another one; `count` if there is none.
  func index(notBefore time: LocalTime) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The indices that `BYSETPOS` selects, in order.
  func indices(at positions: [Int]) -> [Int] {
    let count = count
    return Set(positions.map { $0 > 0 ? $0 - 1 : count + $0 }.filter { (0..<count).contains($0) }).sorted()
  }
}
