import Foundation

/// A plugin for age of the tests' own, in Python: it speaks the protocol as its specification (C2SP age-plugin.md) says, with keyplan
/// and with Debian's `age`. Its encryption is not one.
///
/// A key is `BEHAVIOUR:NAME`. Each run adds a line to `toy.log` in its home.
public struct ToyPlugin {
  /// The folder for `PATH`.
  public let folder: String
  /// NAME of `age-plugin-NAME`.
  public let name: String
  private let python: String

  /// Installs `age-plugin-NAME`.
  public init(in folder: String, name: String = "toy") throws {
    (self.folder, self.name) = (folder, name)
    let known = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
    python = known.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil } ?? "/usr/bin/python3"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try ProgramFile.write("#!\(python)\n\(Self.script)", to: program)
  }

  /// Its path.
  public var program: String { "\(folder)/age-plugin-\(name)" }

  /// A recipient and its identity.
  public func key(_ text: String) throws -> (recipient: String, identity: String) {
    let answer = try Child.answer([program, "--make", text])
    let lines = answer.text.split(separator: "\n").map(String.init)
    guard lines.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
    return (lines[0], lines[1])
  }

  private static let script = #"""
    import base64, hashlib, os, sys, time

    ME = os.path.basename(sys.argv[0])[len("age-plugin-"):]
    CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

    def checksum(hrp, data):
        state = 1
        for value in [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp] + data + [0] * 6:
            top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ value
            for bit, term in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
                state ^= term if top >> bit & 1 else 0
        return [(state ^ 1) >> 5 * (5 - i) & 31 for i in range(6)]

    def regroup(data, source, target, padding):
        value = bits = 0
        out = []
        for one in data:
            value, bits = value << source | one, bits + source
            while bits >= target:
                bits -= target
                out.append(value >> bits & (1 << target) - 1)
        if padding and bits:
            out.append(value << (target - bits) & (1 << target) - 1)
        return out

    def encode(hrp, data):
        digits = regroup(data, 8, 5, True)
        return hrp + "1" + "".join(CHARSET[d] for d in digits + checksum(hrp, digits))

    def decode(text):
        text = text.lower()
        digits = [CHARSET.index(c) for c in text[text.rindex("1") + 1:]]
        assert checksum(text[:text.rindex("1")], digits[:-6]) == digits[-6:]
        return bytes(regroup(digits[:-6], 5, 8, False)).decode()

    def b64(data):
        return base64.b64encode(data).decode().rstrip("=")

    def unb64(text):
        return base64.b64decode(text + "=" * (-len(text) % 4))

    def read():
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        body = ""
        while True:
            row = sys.stdin.readline().rstrip("\n")
            body += row
            if len(row) < 64:
                return line.rstrip("\n").split(" ")[1:], unb64(body)

    def write(*arguments, body=b""):
        text = b64(body)
        rows = [text[i:i + 64] for i in range(0, len(text) + 1, 64)]
        sys.stdout.write("-> " + " ".join(arguments) + "\n" + "\n".join(rows) + "\n")
        sys.stdout.flush()

    def ask(*arguments, body=b""):
        write(*arguments, body=body)
        return read()

    def fail(*arguments, text):
        ask("error", *arguments, body=text.encode())
        done()

    def done():
        write("done")
        sys.exit(0)

    def secret(name):
        return hashlib.sha256(("toy" + name).encode()).digest()[:16]

    def xor(one, two):
        return bytes(a ^ b for a, b in zip(one, two))

    def misbehave(how):
        if how == "crash":
            sys.exit(3)
        if how == "hang":
            open(os.environ["HOME"] + "/hanging", "w").close()
            time.sleep(3600)
        if how == "endless":
            while True:
                sys.stdout.write("-> grease\n" + ("A" * 64 + "\n") * 8 + "\n")
        if how == "noise":
            print("hello, I am a plugin", flush=True)
            time.sleep(3600)
        if how == "huge":
            write("msg", body=b"x" * 100_000)
            time.sleep(3600)
        if how == "chatty":
            while True:
                ask("msg", body=b"again")
        if how == "grease":
            assert ask("J#]-grease", "a", "b", body=os.urandom(200))[0] == ["unsupported"]
            assert ask("grease")[0] == ["unsupported"]
        if how == "error":
            fail("internal", text="no \x1b[31mtoken\x07\nhere")

    if sys.argv[1] == "--make":
        data = sys.argv[2].encode()
        print(encode("age1" + ME, data))
        print(encode("age-plugin-" + ME + "-", data).upper())
        sys.exit(0)

    sys.stderr.write("canary on standard error\n")
    machine = sys.argv[1].split("=")[1]
    try:
        with open(os.environ["HOME"] + "/toy.log", "a") as log:
            names = " ".join(sorted(os.environ))
            log.write(f"{ME} {machine} files={len(os.listdir('.'))} session={os.getsid(0) == os.getpid()} {names}\n")
    except (OSError, KeyError):
        pass

    keys, stanzas, file_key, labels = [], [], None, False
    while True:
        arguments, body = read()
        command = arguments[0]
        if command in ("add-recipient", "add-identity"):
            keys.append(decode(arguments[1]))
        elif command == "wrap-file-key":
            file_key = body
        elif command == "extension-labels":
            labels = True
        elif command == "recipient-stanza":
            stanzas.append((arguments[2:], body))
        elif command == "done":
            break

    for key in keys:
        how, name = key.split(":")
        if machine == "recipient-v1":
            if how.startswith("seal-"):
                misbehave(how[5:])
            if how == "seal-none":
                done()
            if how == "seal-native":
                ask("recipient-stanza", "0", "X25519", "nothing", body=b"short")
                done()
            if how == "seal-scrypt":
                ask("recipient-stanza", "0", "scrypt", b64(b"s" * 16), "10", body=b"b" * 32)
                done()
            if labels and how in ("pq", "odd"):
                assert ask("labels", "postquantum" if how == "pq" else "odd")[0] == ["ok"]
            tag = b64(hashlib.sha256(secret(name)).digest()[:4])
            assert ask("recipient-stanza", "0", "toy", tag, body=xor(file_key, secret(name)))[0] == ["ok"]
        else:
            if how.startswith("open-"):
                misbehave(how[5:])
            tag = b64(hashlib.sha256(secret(name)).digest()[:4])
            found = [body for arguments, body in stanzas if arguments == ["toy", tag]]
            if not found:
                continue
            if how == "confirm":
                answer = ask("confirm", b64(b"Use it"), b64(b"Skip it"), body=b"Use the token?")[0]
                if answer != ["ok", "yes"]:
                    fail("identity", "0", text="declined: " + " ".join(answer))
            if how == "pin":
                answer, pin = ask("request-secret", body=b"PIN of the token")
                if answer != ["ok"] or pin != b"1234":
                    fail("identity", "0", text="wrong PIN" if answer == ["ok"] else "no PIN")
            if how == "public":
                answer, owner = ask("request-public", body=b"Name of the owner")
                if owner != b"ada":
                    fail("identity", "0", text="not the owner")
            if how == "touch":
                ask("msg", body=b"Touch the token, \x1b]0;please\x07 now")
            if how == "short":
                ask("file-key", "0", body=b"8 bytes.")
                done()
            if how == "twice":
                ask("file-key", "0", body=xor(found[0], secret(name)))
            assert ask("file-key", "0", body=xor(found[0], secret(name)))[0] == ["ok"]
    write("done")
    """#
}
