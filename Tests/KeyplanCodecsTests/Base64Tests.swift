import Foundation
import KeyplanCodecs
import KeyplanSecrets
import Testing

/// Compared with Foundation's.
@Suite("Base64")
struct Base64Tests {
  private static let samples: [[UInt8]] = {
    var random = SystemRandomNumberGenerator()
    return (0..<130).map { count in (0..<count).map { _ in .random(in: .min ... .max, using: &random) } }
  }()

  @Test("is written as RFC 4648 says")
  func written() {
    for bytes in Self.samples {
      let text = Data(bytes).base64EncodedString()
      let bare = text.replacing("=", with: "")
      #expect(Base64.paddedText(of: bytes) == Array(text.utf8))
      #expect(Base64.text(of: bytes) == Array(bare.utf8) && Base64.count(of: bytes.count) == bare.utf8.count)
      let url = bare.replacing("+", with: "-").replacing("/", with: "_")
      #expect(Base64.text(of: bytes, .url) == Array(url.utf8))
      #expect(bytes.withUnsafeBytes { SecretBase64.text(of: $0) }.withBytes { Array($0) } == Array(text.utf8))
    }
  }

  @Test("is read back, and a text that was cut or has one wrong character is not")
  func read() {
    for bytes in Self.samples {
      let (padded, bare) = (Base64.paddedText(of: bytes), Base64.text(of: bytes))
      #expect(Base64.paddedBytes(in: padded) == bytes && Base64.bytes(in: bare) == bytes)
      #expect(SecretBase64.bytes(in: padded)?.withBytes { Array($0) } == bytes)
      for cut in 1..<4 where padded.count > cut {
        #expect(
          Base64.paddedBytes(in: padded.dropLast(cut)) == nil && SecretBase64.bytes(in: padded.dropLast(cut)) == nil)
      }
      for place in padded.indices {
        for wrong in "-_= \n\u{0}" where padded[place] != wrong.asciiValue {
          var changed = padded
          changed[place] = wrong.asciiValue ?? 0
          guard let read = Base64.paddedBytes(in: changed) else {
            #expect(SecretBase64.bytes(in: changed) == nil)
            continue
          }
          // Padding in the place of digits: another text, which is canonical, too.
          #expect(Base64.paddedText(of: read) == changed)
          #expect(SecretBase64.bytes(in: changed)?.withBytes { Array($0) } == read)
        }
      }
    }
  }

  @Test(
    "has one text for each sequence of bytes: unused bits are zero, and padding is whole",
    arguments: ["Zh==", "Zm9=", "Z===", "Zg=", "Zg", "Zg==Zg==", "=", "====", "Zm9v\n"])
  func canonical(text: String) {
    #expect(Base64.paddedBytes(in: Array(text.utf8)) == nil)
    #expect(SecretBase64.bytes(in: Array(text.utf8)) == nil)
  }
}
