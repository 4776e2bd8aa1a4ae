#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Secret bytes with one owner, overwritten with zeros when the owner goes.
///
/// It cannot be copied, so it cannot be printed, interpolated, dumped, mirrored, put into an array or encoded: none of
/// these compile. It lends its bytes for the length of a call; whoever copies them out owns that leak.
public struct Secret: ~Copyable, @unchecked Sendable {
  // @unchecked: the memory is written in the initializers only and never again before deinit, and it has one owner.
  private let memory: UnsafeMutableRawBufferPointer

  /// Copies the bytes; the original stays the caller's to overwrite.
  public init(copying bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyMemory(from: bytes)
  }

  /// Takes the bytes over. The array's own storage is overwritten if nobody else holds it.
  public init(_ bytes: consuming [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    bytes.withUnsafeMutableBytes { zero($0) }
  }

  /// Takes over `count` fresh bytes that `fill` writes; nothing else ever holds them.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    do {
      try fill(fresh)
    } catch {
      zero(fresh)
      fresh.deallocate()
      throw error
    }
    memory = fresh
  }

  deinit {
    zero(memory)
    memory.deallocate()
  }

  /// How many bytes there are. Lengths are not treated as secret.
  public var count: Int { memory.count }

  /// Lends the bytes. The pointer must not leave the call.
  public borrowing func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Compares in time that depends on the lengths alone.
  public borrowing func equals(_ other: borrowing Secret) -> Bool {
    guard memory.count == other.memory.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<memory.count { difference |= memory[index] ^ other.memory[index] }
    return difference == 0
  }
}

/// Overwrites memory with zeros in a way the optimizer may not drop.
public func zero(_ memory: UnsafeMutableRawBufferPointer) {
  guard let base = memory.baseAddress, memory.count > 0 else { return }
  #if canImport(Glibc)
  explicit_bzero(base, memory.count)
  #else
  _ = memset_s(base, memory.count, 0, memory.count)
  #endif
}
