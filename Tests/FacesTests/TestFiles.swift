import CPlatform
import Platform

/// Files that tests read: the repository's own, and the recordings beside it where they are.
enum TestFiles {
  /// The package's root, from this file's place in it.
  static let root: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  static let shared = root + "/../shared/data"
  static let hasShared = access(shared, R_OK) == 0

  static func bytes(_ path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, flags: O_RDONLY)
    guard let size = try file.regularFileSize() else { return [] }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0) }
    return Array(bytes[..<count])
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }
}
