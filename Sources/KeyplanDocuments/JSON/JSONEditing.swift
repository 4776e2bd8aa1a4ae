extension JSONTree {
  /// Sets the string at `pointer`.
  mutating func set(_ pointer: JSONPointer, to text: [UInt8]) throws(DocumentError) {
    guard
      let (last, parents) = pointer.names.isEmpty
        ? nil : (pointer.names[pointer.names.count - 1], pointer.names.dropLast())
    else {
      throw DocumentError(.notEditable, "The name is empty: the whole file cannot be replaced by a string.")
    }
    guard pointer.names.count <= DocumentLimit.depth else {
      throw DocumentError(.tooDeep, "The name is nested deeper than 64 levels.")
    }
    var missing = parents
    var object = try rootObject()
    while let name = missing.first, let slot = slot(of: name, in: object) {
      guard case .container(let next) = containers[object].members[slot].value else {
        throw DocumentError(.notEditable, "A parent of this name is not an object.")
      }
      object = next
      missing.removeFirst()
    }
    if missing.isEmpty, let slot = slot(of: last, in: object) { return try replace(slot, in: object, with: text) }
    guard containers[object].isObject else {
      throw DocumentError(.notEditable, "The container is an array; names can only be added to objects.")
    }
    for name in missing {
      let next = containers.count
      containers.append(Container(isObject: true, parent: object))
      insert(name, .container(next), into: object)
      object = next
    }
    insert(last, .scalar(.string, write(JSONString.write(text))), into: object)
  }

  /// Removes the member at `pointer`.
  mutating func remove(_ pointer: JSONPointer) throws(DocumentError) {
    guard let value = value(at: pointer) else { return }
    guard case .scalar = value, let last = pointer.names.last else {
      throw DocumentError(.notEditable, "The value is an object or an array, not a single value.")
    }
    guard case .container(let object) = self.value(at: JSONPointer(names: pointer.names.dropLast())),
      let slot = slots.removeValue(forKey: Child(container: object, name: last))
    else {
      throw DocumentError(.notEditable, "An element cannot be removed from an array: the others would move.")
    }
    containers[object].members[slot].value = nil
  }

  /// The object at the top level, created for an empty file.
  private mutating func rootObject() throws(DocumentError) -> Int {
    switch root {
    case .container(let index): return index
    case .scalar: throw DocumentError(.notEditable, "The file's top-level value is not an object.")
    case nil:
      containers.append(Container(isObject: true, parent: nil))
      root = .container(0)
      after = write([.lineFeed])
      return 0
    }
  }

  private mutating func replace(_ slot: Int, in container: Int, with text: [UInt8]) throws(DocumentError) {
    switch containers[container].members[slot].value {
    case .scalar(.string, let written) where JSONString.read(source[written]) == text: return
    case .scalar(.string, _), .scalar(.null, _):
      containers[container].members[slot].value = .scalar(.string, write(JSONString.write(text)))
    default: throw DocumentError(.notEditable, "The value is neither a string nor null.")
    }
  }

  private mutating func insert(_ name: [UInt8], _ value: Value, into object: Int) {
    var member = Member()
    if let last = containers[object].members.indices.last {
      member.lead = lead(in: object)
      member.separator = containers[object].members[last].separator
      // If commas are at the start of lines, the space before the last one is also used before the new one.
      if last > 0 { member.trail = containers[object].members[last - 1].trail }
      containers[object].members[last].trail = member.trail
    } else {
      let (opening, closing) = spacing(insideEmpty: object)
      containers[object].opening = write(opening)
      containers[object].closing = write(closing)
      member.separator = separator(near: object)
    }
    member.name = write(JSONString.write(name))
    member.value = value
    slots[Child(container: object, name: name)] = containers[object].members.count
    containers[object].members.append(member)
  }

  /// The white space between a comma and the next name, in the style of the container's members.
  private mutating func lead(in container: Int) -> Range<Int> {
    let members = containers[container].members
    let present = members.count > 1 ? members[members.count - 1].lead : containers[container].opening
    if let line = lineStart(of: present) { return line }
    if members.count > 1 { return present }
    let isSpaced = !present.isEmpty || members.first.map { source[$0.separator].last == .space } == true
    return isSpaced ? write([.space]) : 0..<0
  }

  /// The last line end in white space with the indentation after it, without blank lines before it.
  private func lineStart(of space: Range<Int>) -> Range<Int>? {
    guard let feed = source[space].lastIndex(of: .lineFeed) else { return nil }
    let hasReturn = feed > space.lowerBound && source[feed - 1] == .carriageReturn
    return (hasReturn ? feed - 1 : feed)..<space.upperBound
  }

  /// The white space inside the brackets of a container for its first member: multi-line if its parent is.
  private func spacing(insideEmpty container: Int) -> (opening: [UInt8], closing: [UInt8]) {
    guard let parent = containers[container].parent else {
      let feed: [UInt8] = source[after].first == .carriageReturn ? [.carriageReturn, .lineFeed] : [.lineFeed]
      return (feed + [.space, .space], feed)
    }
    guard let line = lineStart(of: containers[parent].opening) else { return ([], []) }
    return (source[line] + indentation, Array(source[line]))
  }

  /// One level of indentation: that of the first name at the top level.
  private var indentation: [UInt8] {
    guard case .container(let root) = root, let line = lineStart(of: containers[root].opening) else {
      return [.space, .space]
    }
    return source[line].filter { $0.isBlank }
  }

  private mutating func separator(near container: Int) -> Range<Int> {
    var outer = containers[container].parent
    while let index = outer {
      if let member = containers[index].members.first, containers[index].isObject { return member.separator }
      outer = containers[index].parent
    }
    return write([UInt8(ascii: ":"), .space])
  }
}
