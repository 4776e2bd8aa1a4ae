/// Holds secret values: printing, interpolating, dumping or reflecting it tells its type and nothing else.
public protocol Undisclosed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Undisclosed {
  /// The name of the type.
  public var description: String { "\(Self.self)" }
  /// The name of the type.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
