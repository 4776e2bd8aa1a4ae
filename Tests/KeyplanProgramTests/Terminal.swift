import Foundation
import Testing

/// A terminal that a test types at.
final class Terminal {
  /// What a program opens to read it.
  let path: String
  private let typist: Int32

  init() throws {
    // By hand: Swift does not see posix_openpt, which is no part of the C standard that it asks for.
    typist = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    try #require(typist >= 0 && ioctl(typist, setLock, &lock) == 0 && ioctl(typist, getNumber, &number) == 0)
    path = "/dev/pts/\(number)"
  }

  deinit { close(typist) }

  func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    try #require(write(typist, bytes, bytes.count) == bytes.count)
  }
}
