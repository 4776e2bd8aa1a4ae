#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Secret bytes with a single owner, overwritten with zeros when the owner is deallocated.
///
/// A secret cannot be copied, so code that prints, interpolates, dumps, mirrors or encodes it, or puts it into an
/// array, does not compile. Its bytes are only accessible during a call; code that copies them is responsible for the
/// copy.
public struct Secret: ~Copyable, @unchecked Sendable {
  // @unchecked: the memory is written only in the initializers and has a single owner.
  private let memory: UnsafeMutableRawBufferPointer

  /// Copies the bytes; overwriting the original is up to the caller.
  public init(copying bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyMemory(from: bytes)
  }

  /// Takes ownership of the bytes. The array's storage is overwritten if it is not shared.
  public init(_ bytes: consuming [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    bytes.withUnsafeMutableBytes { zero($0) }
  }

  /// Allocates `count` bytes and has `fill` write them; no copy exists.
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

  /// The number of bytes. Lengths are not treated as secret.
  public var count: Int { memory.count }

  /// Calls `body` with the bytes. The pointer is invalid after the call.
  public borrowing func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Compares in constant time, which depends only on the lengths.
  public borrowing func equals(_ other: borrowing Secret) -> Bool {
    guard memory.count == other.memory.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<memory.count { difference |= memory[index] ^ other.memory[index] }
    return difference == 0
  }
}

/// Overwrites memory with zeros in a way that the optimizer cannot remove.
public func zero(_ memory: UnsafeMutableRawBufferPointer) {
  guard let base = memory.baseAddress, memory.count > 0 else { return }
  #if canImport(Glibc)
  explicit_bzero(base, memory.count)
  #else
  _ = memset_s(base, memory.count, 0, memory.count)
  #endif
}
