import Foundation
import FrameRing
import Platform
import Testing

@testable import Camera

struct PictureTests {
  static let fields: [String: SIMD3<Int>] = [
    "R": [255, 0, 0], "G": [0, 255, 0], "B": [0, 0, 255], "W": [255, 255, 255],
  ]

  func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> SIMD3<Int> {
    let place = (y * picture.width + x) * 3
    return SIMD3(
      Int(picture.pixels[place]), Int(picture.pixels[place + 1]), Int(picture.pixels[place + 2]))
  }

  /// Letters of the four fields: top left, top right, bottom left, bottom right.
  func letters(_ picture: Picture) -> String {
    let (left, right) = (picture.width / 4, picture.width * 3 / 4)
    let (top, bottom) = (picture.height / 4, picture.height * 3 / 4)
    return [(left, top), (right, top), (left, bottom), (right, bottom)].map { x, y in
      let found = pixel(picture, x, y)
      return Self.fields.first {
        let off = $0.value &- found
        return max(abs(off.x), max(abs(off.y), abs(off.z))) < 12
      }?.key ?? "?"
    }.joined()
  }

  func read(_ bytes: [UInt8]) throws(CameraError) -> Picture {
    try Picture(bytes, path: FixedString("picture"))
  }

  @Test func readsJPEG() throws {
    for bytes in [SampleJPEG.baseline, SampleJPEG.progressive] {
      let picture = try read(bytes)
      #expect(picture.width == 32 && picture.height == 16 && letters(picture) == "RGBW")
    }
    let grey = try read(SampleJPEG.grey)
    let red = pixel(grey, 8, 4)
    #expect(red.x == red.y && red.y == red.z && abs(red.x - 76) < 3)
  }

  @Test(
    arguments: zip(
      UInt8(0)...9,
      ["RGBW", "RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB", "RGBW"]))
  func turnsByEXIF(_ orientation: UInt8, _ fields: String) throws {
    for bigEndian in [false, true] {
      let picture = try read(SampleJPEG.turned(orientation, bigEndian: bigEndian))
      #expect(letters(picture) == fields)
      #expect((picture.width > picture.height) == !(5...8 ~= orientation))
    }
  }

  @Test func writesAndReadsPNG() throws {
    var random = RandomSource(seed: 6)
    for (width, height) in [(1, 1), (7, 3), (64, 48)] {
      var picture = Picture(width: width, height: height)
      for place in picture.pixels.indices { picture.pixels[place] = UInt8(random.below(256)) }
      let file = try ScratchFile(name: "picture.png")
      try picture.writePNG(to: file.path)
      let again = try Picture(path: file.path)
      #expect(again.width == width && again.height == height && again.pixels == picture.pixels)
    }
    let error = #expect(throws: CameraError.self) {
      try Picture(width: 1, height: 1).writePNG(to: "/nowhere/picture.png")
    }
    #expect(error?.errno == Errno(code: 2))
  }

  @Test func refusesWhatIsNoPicture() throws {
    let cases: [([UInt8], String)] = [
      ([], "empty"), (Array("GIF89a".utf8), "other than JPEG or PNG"),
      ([0xFF, 0xD8, 0xFF], "is damaged"),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "is damaged"),
    ]
    for (bytes, words) in cases {
      let error = #expect(throws: CameraError.self) { try read(bytes) }
      #expect(error.map(sentence)?.contains(words) == true, "\(error.map(sentence) ?? "")")
    }
    let missing = #expect(throws: CameraError.self) { try Picture(path: "/nowhere/a.jpg") }
    #expect(missing?.errno == Errno(code: 2))
    let folder = #expect(throws: CameraError.self) { try Picture(path: "/tmp") }
    #expect(folder?.errno == Errno(code: 21))
  }

  /// Every cut of a picture is refused.
  @Test func truncationIsAnError() throws {
    let file = try ScratchFile(name: "picture.png")
    try read(SampleJPEG.baseline).writePNG(to: file.path)
    let png = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
    for bytes in [SampleJPEG.baseline, SampleJPEG.progressive, png] {
      for end in stride(from: 0, to: bytes.count - 2, by: 3) {
        #expect(throws: CameraError.self) { try read(Array(bytes[..<end])) }
      }
    }
  }

  /// Sizes in the header that would take gigabytes are refused before anything is allocated.
  @Test func absurdSizesAreRefused() throws {
    var bytes = SampleJPEG.baseline
    let frame = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(throws: CameraError.self) { try read(bytes) }
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x3F, 0xFF, 0x3F, 0xFF])
    let error = #expect(throws: CameraError.self) { try read(bytes) }
    #expect(error.map(sentence)?.contains("frames of 16383x16383") == true)
  }

  /// Bytes of small pictures changed: an error or a picture of the size its header says.
  @Test func survivesMutations() throws {
    var random = RandomSource(seed: 44)
    let file = try ScratchFile(name: "picture.png")
    try read(SampleJPEG.baseline).writePNG(to: file.path)
    let png = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
    let samples = [
      SampleJPEG.baseline, SampleJPEG.progressive, SampleJPEG.grey,
      SampleJPEG.turned(6, bigEndian: false), png,
    ]
    var (decoded, refused) = (0, 0)
    for round in 0..<4000 {
      var bytes = samples[round % samples.count]
      for _ in 0...random.below(3) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        default: bytes.remove(at: place)
        }
      }
      // A large but allowed size is slow, not wrong.
      if let size = try? size(bytes), size > 1 << 20 { continue }
      do throws(CameraError) {
        let picture = try read(bytes)
        if picture.pixels.count != picture.width * picture.height * 3 { Issue.record("size") }
        decoded += 1
      } catch { refused += 1 }
    }
    #expect(decoded > 100 && refused > 100)
  }

  /// Pixels by the header, 0 without one.
  func size(_ bytes: [UInt8]) throws -> Int {
    if bytes.starts(with: [0x89, 0x50]), bytes.count > 24 {
      let sides = bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
      return Int(clamping: (sides >> 32).multipliedReportingOverflow(by: sides & 0xFFFF_FFFF).0)
    }
    for place in bytes.indices.dropLast(9)
    where bytes[place] == 0xFF && (0xC0...0xC2).contains(bytes[place + 1]) {
      return (Int(bytes[place + 5]) << 8 | Int(bytes[place + 6]))
        * (Int(bytes[place + 7]) << 8 | Int(bytes[place + 8]))
    }
    return 0
  }

  @Test func playsAsAClip() throws {
    let picture = try read(SampleJPEG.baseline)
    let bytes = picture.pixels.count
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 16, slotBytes: bytes))
    let ring = try FrameRing(memory: memory.bytes, slots: 16, slotBytes: bytes, mode: .lockstep)
    let status = try CameraStatus()
    try picture.play(into: ring, status: status, for: .milliseconds(400), rate: FrameRate(25))
    var times: [Int64] = []
    while let lease = ring.take() {
      times.append((lease.info.timestamp - .zero).wholeMilliseconds)
      #expect(lease.info.format == picture.format)
    }
    #expect(times == (0..<10).map { $0 * 40 })
    #expect(ring.waitForFrame(timeout: .zero) == .ended)
  }

  @Test(.enabled(if: SharedData.hasStills, "../shared/data/stills is not there"))
  func readsTheStills() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: SharedData.stills)
    var read = 0
    for name in names where name.hasSuffix(".jpg") || name.hasSuffix(".png") {
      let picture = try Picture(path: SharedData.stills + "/" + name)
      #expect(picture.width > 50 && picture.height > 50)
      read += 1
    }
    #expect(read > 20)
  }
}
