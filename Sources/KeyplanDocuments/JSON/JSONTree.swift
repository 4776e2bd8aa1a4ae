/// A JSON text with all of its formatting: rendering an unedited tree reproduces the source.
///
/// Every piece of text is a range of `source`, to which new text is appended.
struct JSONTree {
  var source: [UInt8]
  var containers: [Container] = []
  /// The index of each member in its container; removed members have none. Array elements are looked up by index.
  var slots: [Child: Int] = [:]
  /// `nil` for an empty file.
  var root: Value?
  /// White space before and after the root, including a byte order mark.
  var before = 0..<0
  var after = 0..<0

  enum Value {
    case scalar(Scalar, Range<Int>)
    /// An index in `containers`.
    case container(Int)
  }

  enum Scalar { case string, number, boolean, null }

  struct Container {
    let isObject: Bool
    /// The container that contains this one.
    let parent: Int?
    /// Removed members stay with a `nil` value, so that `slots` stays valid.
    var members: [Member] = []
    /// White space between the opening bracket and the first remaining member.
    var opening = 0..<0
    /// White space between the last remaining member and the closing bracket.
    var closing = 0..<0
    /// White space in a container without members.
    var inner = 0..<0
  }

  /// `, lead "name" separator value trail ,`. An array element has neither name nor separator.
  struct Member {
    /// White space between the comma and the name; empty for the first member, which uses the container's `opening`.
    var lead = 0..<0
    /// As written, in quotes.
    var name = 0..<0
    /// The colon with the white space around it.
    var separator = 0..<0
    var value: Value?
    /// White space before the comma; empty for the last member, which uses the container's `closing`.
    var trail = 0..<0
  }

  /// Appends text to the source.
  mutating func write(_ text: some Sequence<UInt8>) -> Range<Int> {
    let start = source.count
    source += text
    return start..<source.count
  }

  /// The index of `name` in a container.
  func slot(of name: [UInt8], in container: Int) -> Int? {
    if containers[container].isObject { return slots[Child(container: container, name: name)] }
    return JSONPointer.index(name).flatMap { $0 < containers[container].members.count ? $0 : nil }
  }

  /// The value at `pointer`.
  func value(at pointer: JSONPointer) -> Value? {
    var value = root
    for name in pointer.names {
      guard case .container(let container) = value, let slot = slot(of: name, in: container) else { return nil }
      value = containers[container].members[slot].value
    }
    return value
  }

  /// The whole text.
  var bytes: [UInt8] {
    var bytes = Array(source[before])
    bytes.reserveCapacity(source.count)
    if let root { render(root, into: &bytes) }
    return bytes + source[after]
  }

  private func render(_ value: Value, into bytes: inout [UInt8]) {
    guard case .container(let index) = value else {
      if case .scalar(_, let written) = value { bytes += source[written] }
      return
    }
    let container = containers[index]
    bytes.append(UInt8(ascii: container.isObject ? "{" : "["))
    var previous: Member?
    for member in container.members {
      guard let value = member.value else { continue }
      if let previous {
        bytes += source[previous.trail]
        bytes.append(UInt8(ascii: ","))
        bytes += source[member.lead]
      } else {
        bytes += source[container.opening]
      }
      bytes += source[member.name]
      bytes += source[member.separator]
      render(value, into: &bytes)
      previous = member
    }
    bytes += source[previous == nil ? container.inner : container.closing]
    bytes.append(UInt8(ascii: container.isObject ? "}" : "]"))
  }
}
