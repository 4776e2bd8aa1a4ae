import KeyplanReader
import KeyplanReaderStore

struct Weather {
  let reader: KeyReader

  init() throws {
    reader = KeyReader(try StoreKeys())
  }
}
