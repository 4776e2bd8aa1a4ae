#if canImport(Security)
import CoreFoundation
import KeyplanModel
import KeyplanSecrets
import Security

/// A generic password of the macOS keychain. It never shows a dialog. Calls block.
struct Keychain: Hashable {
  let service: String
  /// Nil for any.
  let account: String?

  enum Answer {
    case value(SecretBox)
    case missing
    case failed(AccessFailure)
  }

  /// Its value.
  func read() -> Answer {
    var found: CFTypeRef?
    // Data cannot be returned for several items at once.
    let status = SecItemCopyMatching(
      query([(kSecReturnAttributes, kCFBooleanTrue), (kSecMatchLimit, kSecMatchLimitAll)]), &found)
    if status == errSecItemNotFound { return .missing }
    guard status == errSecSuccess else { return .failed(AccessFailure(keychain: status)) }
    if let found, CFGetTypeID(found) == CFArrayGetTypeID() {
      let count = CFArrayGetCount(unsafeDowncast(found, to: CFArray.self))
      if count > 1 {
        return .failed(
          AccessFailure(
            .unreadable, "\(count) items have this service and account.", hint: "Remove all but one of them."))
      }
    }
    var data: CFTypeRef?
    let second = SecItemCopyMatching(
      query([(kSecReturnData, kCFBooleanTrue), (kSecMatchLimit, kSecMatchLimitOne)]), &data)
    if second == errSecItemNotFound { return .missing }
    guard second == errSecSuccess, let data, CFGetTypeID(data) == CFDataGetTypeID() else {
      return .failed(AccessFailure(keychain: second))
    }
    let bytes = unsafeDowncast(data, to: CFData.self)
    // The framework's own copy cannot be erased.
    return .value(
      SecretBox(
        Secret(copying: UnsafeRawBufferPointer(start: CFDataGetBytePtr(bytes), count: CFDataGetLength(bytes)))))
  }

  /// Sets its value; creates it if it is missing.
  /// - Returns: the status of the Security framework.
  func set(_ value: SecretBox) -> OSStatus {
    let data = value.withBytes { bytes in
      CFDataCreate(nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    let status = SecItemUpdate(query([]), Self.dictionary([(kSecValueData, data)]))
    guard status == errSecItemNotFound else { return status }
    return SecItemAdd(query([(kSecValueData, data)]), nil)
  }

  /// Removes it; a missing one is not an error.
  /// - Returns: the status of the Security framework.
  func remove() -> OSStatus {
    let status = SecItemDelete(query([]))
    return status == errSecItemNotFound ? errSecSuccess : status
  }

  private func query(_ more: [(CFString?, CFTypeRef?)]) -> CFDictionary {
    Self.dictionary(
      [
        (kSecClass, kSecClassGenericPassword), (kSecAttrService, Self.string(service)),
        (kSecAttrAccount, account.flatMap(Self.string)), (kSecUseAuthenticationUI, kSecUseAuthenticationUIFail),
      ] + more)
  }

  private static func string(_ text: String) -> CFString? {
    CFStringCreateWithCString(nil, text, CFStringBuiltInEncodings.UTF8.rawValue)
  }

  private static func dictionary(_ pairs: [(CFString?, CFTypeRef?)]) -> CFDictionary {
    var (keys, values) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
    let dictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values)
    for case (let key?, let value?) in pairs {
      CFDictionarySetValue(
        dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
    return dictionary ?? CFDictionaryCreateMutable(nil, 0, nil, nil)
  }
}

extension AccessFailure {
  /// - Parameter status: one other than success and *not found* (Security, `SecBase.h`).
  init(keychain status: OSStatus) {
    switch status {
    case errSecInteractionNotAllowed, errSecAuthFailed:
      self.init(
        .sealed, "The keychain is locked, or requires a confirmation for this item.",
        hint: "Unlock it with `security unlock-keychain`, or allow keyplan to use the item in Keychain Access.")
    case errSecUserCanceled, errSecMissingEntitlement:
      self.init(.denied, "The keychain does not allow access to this item.")
    case errSecNotAvailable, errSecNoDefaultKeychain, errSecNoSuchKeychain:
      self.init(
        .unreachable, "No keychain was found.", hint: "Run keyplan in a session of a user with a login keychain.")
    default: self.init(.unreadable, "The keychain returned error \(status).")
    }
  }
}
#endif
