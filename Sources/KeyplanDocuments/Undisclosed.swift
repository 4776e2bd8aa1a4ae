/// Holds secret values: printing, interpolating, dumping or reflecting it tells its type and nothing else.
package protocol Undisclosed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Undisclosed {
  /// The name of the type.
  package var description: String { "\(Self.self)" }
  /// The name of the type.
  package var debugDescription: String { description }
  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
