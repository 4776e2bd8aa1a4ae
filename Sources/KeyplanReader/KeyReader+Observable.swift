#if canImport(Observation)
public import Observation

/// So that SwiftUI's environment can hold a reader: `.environment(reader)`. A view follows a key with `changes(of:)`.
extension KeyReader: Observable {}
#endif
