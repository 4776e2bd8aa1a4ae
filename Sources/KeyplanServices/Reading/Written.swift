import KeyplanModel
package import KeyplanYAML

/// A value in the document of a description, and its location.
package struct Written {
  package let node: Node
  /// A JSON Pointer.
  package let path: String

  package func below(_ name: String, _ node: Node) -> Written {
    Written(node: node, path: path + NestedName(parts: [name]).pointer)
  }

  /// The meaning of a scalar.
  package var scalar: Scalar.Resolved? {
    guard case .scalar(let scalar) = node.content else { return nil }
    return scalar.resolved
  }

  /// Whether it is an object with this member.
  package func has(_ name: String) -> Bool {
    guard case .mapping(let entries) = node.content else { return false }
    return entries.contains { entry in
      guard case .scalar(let key) = entry.key.content else { return false }
      return key.text == name
    }
  }

  package var isList: Bool { if case .sequence = node.content { true } else { false } }
  package var isObject: Bool { if case .mapping = node.content { true } else { false } }
}

/// The members of an object by name, in the order in which they are written.
package struct WrittenMembers {
  package let object: Written
  private(set) var all: [(name: String, value: Written)] = []
  private var byName: [String: Written] = [:]

  package init(of object: Written) { self.object = object }

  /// Returns false if the name is there already.
  package mutating func add(_ name: String, _ value: Written) -> Bool {
    guard byName.updateValue(value, forKey: name) == nil else { return false }
    all.append((name, value))
    return true
  }

  package subscript(name: String) -> Written? { byName[name] }
}
