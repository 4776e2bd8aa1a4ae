import Foundation
import Testing

@Suite struct InheritanceTests {
  @Test("what a test starts has its three streams, and no end of another test's pipe")
  func streams() throws {
    let pipe = Pipe()
    try #require(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFD) == 0, "Foundation's pipes are inherited")
    // The fourth is the folder that `ls` reads.
    let sandbox = try ProgramSandbox()
    #expect(try sandbox.start(["ls", "/proc/self/fd"]).wait().out == "0\n1\n2\n3\n")
    #expect(try Shell().run("ls /proc/self/fd").out == ["0", "1", "2", "3"])
    withExtendedLifetime(pipe) {}
  }
}
