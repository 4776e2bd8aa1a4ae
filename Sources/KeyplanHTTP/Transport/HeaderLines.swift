import CCurl
import KeyplanSecrets

/// A request's header lines, or other lines, in libcurl's format, in memory that is wiped after the request.
struct HeaderLines: ~Copyable {
  private let nodes: UnsafeMutableBufferPointer<curl_slist>
  private let texts: [UnsafeMutableRawBufferPointer]

  init(of request: HTTPRequest) {
    // An empty "Expect" keeps libcurl from sending "Expect: 100-continue" before a large body.
    var lines: [(name: String, value: HTTPValue?)] = [("Expect", nil)]
    lines += request.headers.map { ($0.name, $0.value) }
    // Always set, because libcurl would otherwise declare every body to be a form.
    lines.append(("Content-Type", (request.body?.type).map { .open($0) }))
    self.init(texts: lines.map { Self.text($0.name, $0.value) })
  }

  /// Lines that are not headers.
  init(_ lines: [String]) {
    self.init(
      texts: lines.map { line in
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: line.utf8.count + 1, alignment: 1)
        text.copyBytes(from: line.utf8)
        text[line.utf8.count] = 0
        return text
      })
  }

  private init(texts: [UnsafeMutableRawBufferPointer]) {
    self.texts = texts
    nodes = .allocate(capacity: texts.count)
    for (index, text) in texts.enumerated() {
      let data = text.baseAddress?.assumingMemoryBound(to: CChar.self)
      let next = index + 1 < texts.count ? nodes.baseAddress?.advanced(by: index + 1) : nil
      nodes.initializeElement(at: index, to: curl_slist(data: data, next: next))
    }
  }

  deinit {
    for text in texts {
      zero(text)
      text.deallocate()
    }
    nodes.deallocate()
  }

  /// Nil if there are no lines.
  var first: UnsafeMutablePointer<curl_slist>? { texts.isEmpty ? nil : nodes.baseAddress }

  /// `Name: value`; `Name:` removes the header, and `Name;` sends it without a value.
  private static func text(_ name: String, _ value: HTTPValue?) -> UnsafeMutableRawBufferPointer {
    let count = value?.count ?? 0
    let text = UnsafeMutableRawBufferPointer.allocate(byteCount: name.utf8.count + 2 + count + 1, alignment: 1)
    var next = 0
    func put(_ byte: UInt8) {
      text[next] = byte
      next += 1
    }
    name.utf8.forEach(put)
    put(UInt8(ascii: value != nil && count == 0 ? ";" : ":"))
    if count > 0 { put(UInt8(ascii: " ")) }
    value?.forEach(put)
    for index in next..<text.count { text[index] = 0 }
    return text
  }
}
