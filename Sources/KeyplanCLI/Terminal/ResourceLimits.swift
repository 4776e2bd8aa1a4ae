internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The process's resource limits. If they are too low for the runtime, it aborts without a message or waits forever for a
/// thread that it cannot create.
enum ResourceLimits {
  /// Open files: the streams, the store and its journal, what waits for signals, the pipes of commands.
  private static let files: rlim_t = 32
  /// Address space beside the program itself: threads with their stacks, and what a store is read into.
  private static let memory = 128 << 20

  /// - Throws: `Failure` that names the limit.
  static func check() throws(Failure) {
    if let limit = soft(RLIMIT_NOFILE), limit < files {
      throw Failure(
        .failed, "Open-file limit too low", "This process may open \(limit) files; keyplan needs \(files).",
        hint: "ulimit -n 256")
    }
    if let limit = soft(RLIMIT_AS), !canReserve(memory) {
      throw Failure(
        .failed, "Memory limit too low",
        "This process may use \(limit >> 20) MiB of address space; keyplan needs \(memory >> 20) MiB more than it uses "
          + "already.",
        hint: "ulimit -v unlimited")
    }
  }

  #if os(Linux)
  /// The scheduler of Swift's tasks (libdispatch) looks up its threads in /proc, and ends the program where they are missing.
  /// - Throws: `Failure` where there is no /proc.
  static func checkThreads() throws(Failure) {
    guard access("/proc/self/stat", R_OK) != 0 else { return }
    throw Failure(
      .failed, "/proc is not mounted", "This command uses threads, whose scheduler reads /proc.",
      hint: "Mount it: mount -t proc proc /proc. `get`, `env` and `run` work without it.")
  }
  #else
  static func checkThreads() throws(Failure) {}
  #endif

  /// Whether that much address space is available; it is released immediately and never touched.
  private static func canReserve(_ count: Int) -> Bool {
    let memory = mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard memory != MAP_FAILED else { return false }
    munmap(memory, count)
    return true
  }

  #if canImport(Glibc)
  private typealias Resource = __rlimit_resource
  #else
  private typealias Resource = Int32
  #endif

  /// Nil where there is none.
  private static func soft(_ resource: Resource) -> rlim_t? {
    var limit = rlimit()
    #if canImport(Glibc)
    let answer = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    #else
    let answer = getrlimit(resource, &limit)
    #endif
    return answer == 0 && limit.rlim_cur != .max ? limit.rlim_cur : nil
  }
}
