/// Why a new value may not be the one that was meant.
package enum ValueDoubt: Hashable, Sendable {
  /// A single line that ends with a line break.
  case endsWithLineBreak
  /// A single line that begins or ends with a space or a tab.
  case hasOuterBlanks
  /// Other programs that read the same file read another value; what it is about the value, in words that follow it.
  case readDifferently(String)
}
