#if canImport(Security)
internal import CoreFoundation
internal import Crypto
internal import KeyplanSecrets
internal import Security

extension CacheKey {
  /// The key of a directory's cache in the user's keychain; made if there is none. Never shows a dialog.
  /// - Returns: nil if the keychain cannot be used now, for example because it is locked.
  static func inKeychain(for directory: String) -> SymmetricKey? {
    let item: [(CFString?, CFTypeRef?)] = [
      (kSecClass, kSecClassGenericPassword), (kSecAttrService, string("keyplan.reader")),
      (kSecAttrAccount, string(directory)), (kSecUseAuthenticationUI, kSecUseAuthenticationUIFail),
    ]
    if let key = read(item) { return key }
    var bytes = SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    let added = dictionary(
      item + [
        (kSecValueData, CFDataCreate(nil, bytes, bytes.count)),
        (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
      ])
    guard let added else { return nil }
    switch SecItemAdd(added, nil) {
    case errSecSuccess: return SymmetricKey(data: bytes)
    // Another process was faster.
    case errSecDuplicateItem: return read(item)
    default: return nil
    }
  }

  private static func read(_ item: [(CFString?, CFTypeRef?)]) -> SymmetricKey? {
    var found: CFTypeRef?
    let query = dictionary(item + [(kSecReturnData, kCFBooleanTrue), (kSecMatchLimit, kSecMatchLimitOne)])
    guard let query, SecItemCopyMatching(query, &found) == errSecSuccess, let found,
      CFGetTypeID(found) == CFDataGetTypeID()
    else {
      return nil
    }
    let data = unsafeDowncast(found, to: CFData.self)
    guard CFDataGetLength(data) == 32 else { return nil }
    return SymmetricKey(data: UnsafeRawBufferPointer(start: CFDataGetBytePtr(data), count: 32))
  }

  private static func string(_ text: String) -> CFString? {
    CFStringCreateWithCString(nil, text, CFStringBuiltInEncodings.UTF8.rawValue)
  }

  private static func dictionary(_ pairs: [(CFString?, CFTypeRef?)]) -> CFDictionary? {
    var (keys, values) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
    let dictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values)
    for case (let key?, let value?) in pairs {
      CFDictionarySetValue(
        dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
    return dictionary
  }
}
#endif
