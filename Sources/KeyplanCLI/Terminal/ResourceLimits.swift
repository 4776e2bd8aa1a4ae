internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What the process may use. Where it is too little for the runtime, that ends the program without a word or waits for ever for a
/// thread that it cannot have.
enum ResourceLimits {
  /// Open files: the streams, the store and its journal, what waits for signals, the pipes of commands.
  private static let files: rlim_t = 32
  /// Address space beside the program itself: threads with their stacks, and what a store is read into.
  private static let memory = 128 << 20

  /// - Throws: `Failure` that names the limit.
  static func check() throws(Failure) {
    if let limit = soft(RLIMIT_NOFILE), limit < files {
      throw Failure(
        .failed, "Limit of open files is too low", "This process may open \(limit) files, and keyplan needs \(files).",
        hint: "ulimit -n 256")
    }
    if let limit = soft(RLIMIT_AS), !canReserve(memory) {
      throw Failure(
        .failed, "Limit of memory is too low",
        "This process may use \(limit >> 20) MiB of address space, and keyplan needs \(memory >> 20) MiB beside what it uses "
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
      .failed, "/proc is not mounted", "This command runs threads, and their scheduler reads /proc.",
      hint: "Mount it: mount -t proc proc /proc. `get`, `env` and `run` work without it.")
  }
  #else
  static func checkThreads() throws(Failure) {}
  #endif

  /// Whether that much can be had; it is given back at once, and never touched.
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
