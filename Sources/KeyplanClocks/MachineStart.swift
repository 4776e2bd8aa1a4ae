internal import KeyplanFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

package enum MachineStart {
  /// Names the running start of this machine.
  package static let id: String? = {
    #if canImport(Darwin)
    var bytes = [CChar](repeating: 0, count: 64)
    var count = bytes.count
    guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
    return String(decoding: bytes.prefix(while: { $0 != 0 }).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
    return (try? SafeFile.read("/proc/sys/kernel/random/boot_id", limit: 64)).map {
      String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
    }
    #endif
  }()
}
