/// The reason to doubt that a new value is the intended one.
package enum ValueDoubt: Hashable, Sendable {
  /// A single line that ends with a line break.
  case endsWithLineBreak
  /// A single line that begins or ends with a space or a tab.
  case hasOuterBlanks
  /// Other programs read another value in the same file; the feature of the value that they read differently, as the end of a sentence.
  case readDifferently(String)
}
