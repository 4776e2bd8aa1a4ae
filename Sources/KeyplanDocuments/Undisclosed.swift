/// A value that contains secrets: printing, interpolating, dumping or reflecting it shows only the name of its type.
package protocol Undisclosed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Undisclosed {
  package var description: String { "\(Self.self)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
