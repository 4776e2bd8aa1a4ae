internal import CProcess
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The process's resource limits. If they are too low for the runtime, it aborts without a message or waits forever for a
/// thread that it cannot create.
enum ResourceLimits {
  /// Open files: the streams, the store and its journal, descriptors for signals, the pipes of commands.
  private static let files: rlim_t = 32
  /// Address space other than the program's own: threads with their stacks, and buffers for the records of a store.
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

  /// The threads that Swift's tasks and keyplan start in addition to the scheduler's: one that waits for descriptors, one for requests, one
  /// that keeps a shared store locked, one for a program.
  private static let threads: Int32 = 4

  /// Checks the requirements of the scheduler of Swift's tasks (libdispatch). It starts up to one thread for each processor, and if the
  /// system refuses one, it waits for it forever. It looks up its threads in /proc, and ends the program if they are missing.
  /// - Throws: `Failure` that names the missing resource.
  static func checkThreads() throws(Failure) {
    if let lack { throw lack }
  }

  /// Once: the scheduler's threads count as well.
  private static let lack: Failure? = {
    #if os(Linux)
    guard access("/proc/self/stat", R_OK) == 0 else {
      return Failure(
        .failed, "/proc is not mounted", "This command uses threads, whose scheduler reads /proc.",
        hint: "Mount it: mount -t proc proc /proc. `get`, `env` and `run` work without it.")
    }
    #endif
    let needed = keyplan_processors() + threads
    let startable = keyplan_startable_threads(needed)
    guard startable < needed else { return nil }
    return Failure(
      .failed, "Process limit too low",
      "This process may start \(startable) more threads; keyplan needs \(needed). Threads count as processes of the user, and of the "
        + "container.",
      hint: "ulimit -u 1024, or raise the container's limit: docker run --pids-limit 1024")
  }()

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

  /// Nil if there is none.
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
