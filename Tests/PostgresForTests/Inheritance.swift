#if canImport(Glibc)
public import Glibc
#else
public import Darwin
#endif

extension posix_spawn_file_actions_t {
  /// Leaves a child nothing but its three streams.
  ///
  /// A server outlives the test that starts it. With the pipes of other tests in its hands, which Foundation has inherited by
  /// every child, whoever waits for their end waits for ever.
  public mutating func closeOthers() {
    #if os(Linux)
    // Swift's view of the C library has no GNU names; this one is in glibc since 2.34.
    typealias Closing = @convention(c) (UnsafeMutablePointer<Self>, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
    _ = unsafeBitCast(symbol, to: Closing.self)(&self, 3)
    #endif
  }
}
