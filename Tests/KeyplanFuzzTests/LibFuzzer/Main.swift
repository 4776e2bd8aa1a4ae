import Foundation

// Drives the entries with libFuzzer (https://llvm.org/docs/LibFuzzer.html). `scripts/fuzz.sh` builds and runs it.

@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// `main`: SwiftPM gives that of each program this name, and its linker options refer to it.
@_cdecl("keyplan_fuzz_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return drive(&count, &arguments) { test($0, $1) }
}

private let chosen: FuzzEntry = {
  let name = ProcessInfo.processInfo.environment["KEYPLAN_FUZZ_ENTRY"] ?? ""
  guard let entry = FuzzEntry.all.first(where: { $0.name == name }) else {
    print(FuzzEntry.all.map { "\($0.name) \($0.longest)" }.joined(separator: "\n"))
    exit(name.isEmpty ? 0 : 64)
  }
  return entry
}()

/// Chooses the entry before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  _ = chosen
  return 0
}

/// Ends the program if the entry finds a violation, so that libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(Violation) {
    try chosen.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    FileHandle.standardError.write(Data("\(chosen.name): \(error)\n".utf8))
    abort()
  }
  return 0
}
