package import KeyplanSecrets

/// A growing text that may contain secrets. Memory that it outgrows is wiped.
package struct SecretWriter: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  package private(set) var count = 0

  package init() {}

  deinit {
    zero(memory)
    memory.deallocate()
  }

  package mutating func append(_ byte: UInt8) {
    if count == memory.count { grow(to: count * 2) }
    memory[count] = byte
    count += 1
  }

  package mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if count + bytes.count > memory.count { grow(to: max(count + bytes.count, memory.count * 2)) }
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  package mutating func append(_ secret: SecretBox) { secret.withBytes { append($0) } }

  private mutating func grow(to size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    zero(memory)
    memory.deallocate()
    memory = larger
  }

  package func finished() -> SecretBox {
    SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: memory[..<count])))
  }
}
