import Foundation
import Platform

@testable import Camera

/// 32x16 pixels in four fields: red, green above; blue, white below. Made for these tests.
enum SampleJPEG {
  static let baseline = decoded(
    """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQ
    DQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQU
    FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAQACADAREAAhEBAxEB/8QAFwABAQEBAAAA
    AAAAAAAAAAAAAAgJCv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAZAQEAAwEBAAAAAAAAAAAAAAAABwkKBgj/
    xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdEGLUwFjISZjwGXjRm9ygOltVY7gB/9k=
    """)
  static let progressive = decoded(
    """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQ
    DQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQU
    FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wgARCAAQACADAREAAhEBAxEB/8QAFwABAQEBAAAA
    AAAAAAAAAAAAAAcICf/EABkBAQADAQEAAAAAAAAAAAAAAAAGCAkFB//aAAwDAQACEAMQAAABnMFtSLHCcxxl
    7Rn3MdLardwf/8QAFBABAAAAAAAAAAAAAAAAAAAAMP/aAAgBAQABBQIP/8QAFBEBAAAAAAAAAAAAAAAAAAAA
    MP/aAAgBAwEBPwEP/8QAFBEBAAAAAAAAAAAAAAAAAAAAMP/aAAgBAgEBPwEP/8QAFBABAAAAAAAAAAAAAAAA
    AAAAMP/aAAgBAQAGPwIP/8QAFBABAAAAAAAAAAAAAAAAAAAAMP/aAAgBAQABPyEP/9oADAMBAAIAAwAAABD+
    1KT/xAAUEQEAAAAAAAAAAAAAAAAAAAAw/9oACAEDAQE/EA//xAAUEQEAAAAAAAAAAAAAAAAAAAAw/9oACAEC
    AQE/EA//xAAUEAEAAAAAAAAAAAAAAAAAAAAw/9oACAEBAAE/EA//2Q==
    """)
  /// The same in grey.
  static let grey = decoded(
    """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQ
    DQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/wAALCAAQACABAREA/8QAFwABAQEBAAAAAAAAAAAAAAAAAAgJ
    Cv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AnQWMMvB0tj//2Q==
    """)

  private static func decoded(_ text: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
  }

  /// The baseline picture with an EXIF segment that says how it is turned.
  static func turned(_ orientation: UInt8, bigEndian: Bool) -> [UInt8] {
    let tiff: [UInt8] =
      bigEndian
      ? [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2]
        + [0x01, 0x0F, 0, 2, 0, 0, 0, 2, 0x41, 0, 0, 0]
        + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
      : [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0]
        + [0x0F, 0x01, 2, 0, 2, 0, 0, 0, 0x41, 0, 0, 0]
        + [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    let body = [0x45, 0x78, 0x69, 0x66, 0, 0] + tiff
    let length = body.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body
    return Array(baseline[..<2]) + segment + baseline[2...]
  }
}

/// A file that is gone when the value is.
final class ScratchFile {
  let path: String

  init(_ bytes: [UInt8] = [], name: String = "file") throws {
    let directory = FileManager.default.temporaryDirectory.path
    path = directory + "/livelatch-\(UUID().uuidString)-\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A sentence for a person.
func sentence(_ error: CameraError) -> String {
  var text = FixedString<400>()
  error.describe(into: &text)
  return text.string
}

/// The shared recordings, where they are.
enum SharedData {
  static let clips = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../shared/data/clips").standardized.path
  static let stills = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../shared/data/stills").standardized.path

  static var hasClips: Bool { FileManager.default.fileExists(atPath: clips) && hasFfmpeg }
  static var hasStills: Bool { FileManager.default.fileExists(atPath: stills) }
  static var hasFfmpeg: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/ffmpeg")
    }
  }
}
