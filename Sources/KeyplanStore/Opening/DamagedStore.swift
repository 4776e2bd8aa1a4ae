import KeyplanFiles
package import KeyplanPorts

/// The unreadable file of a store, which is kept when a restored one replaces it.
package struct DamagedStore {
  private let path: String
  /// Its new path: beside the old one, under an unused name.
  package let destination: String

  /// - Parameter path: of the store.
  /// - Throws: if the folder cannot be inspected.
  package init(at path: String) throws(StoreError) {
    self.path = path
    var number = 1
    while true {
      let name = path + ".damaged" + (number == 1 ? "" : "-\(number)")
      if try Self.isFree(name), try Self.isFree(StoreJournal.path(beside: name)) {
        destination = name
        return
      }
      number += 1
    }
  }

  private static func isFree(_ name: String) throws(StoreError) -> Bool {
    do throws(FileError) {
      try PrivateFile.requireAbsence(of: name)
      return true
    } catch {
      guard error.code == .exists else { throw fault(error) }
      return false
    }
  }

  /// Moves it with its journal, which would otherwise belong to the next store at this place. The lock must be held.
  package func move() throws(StoreError) {
    do throws(FileError) {
      // Without its journal it is as damaged as before, if the process is killed between the two.
      if try SafeFile.requireRegularIfPresent(StoreJournal.path(beside: path)) {
        try FileMove.rename(StoreJournal.path(beside: path), to: StoreJournal.path(beside: destination))
      }
      try FileMove.rename(path, to: destination)
    } catch {
      throw Self.fault(error)
    }
  }

  private static func fault(_ error: FileError) -> StoreError {
    StoreError(StoreFile.code(error), "The damaged store cannot be moved: \(error).", hint: error.hint)
  }
}
