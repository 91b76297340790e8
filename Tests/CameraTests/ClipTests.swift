import Foundation
import FrameRing
import Platform
import Testing

@testable import Camera

/// What a clip holds.
struct ClipSummary {
  var format: FrameFormat
  var rate: FrameRate
  var times: [Double] = []
  var repeats = 0

  init(_ path: String) throws {
    var clip = try ClipReader(path: path)
    format = clip.format
    rate = clip.rate
    let count = clip.format.byteCount
    let slot = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    defer { slot.deallocate() }
    var last: UInt64 = 0
    while let info = try clip.readFrame(into: slot) {
      times.append(Double(info.timestamp.nanoseconds) / 1e9)
      var hash: UInt64 = 14_695_981_039_346_656_037
      for word in slot.bindMemory(to: UInt64.self) { hash = (hash ^ word) &* 1_099_511_628_211 }
      if hash == last { repeats += 1 }
      last = hash
    }
  }
}

@Suite(.enabled(if: SharedData.hasFfmpeg, "the ffmpeg program is not there"))
struct ClipTests {
  /// Two seconds of moving fields.
  static func sample(frames: Int, path: String) throws {
    var writer = try ClipWriter(path: path, width: 64, height: 48, rate: FrameRate(25))
    var picture = Picture(width: 64, height: 48)
    for frame in 0..<frames {
      for place in picture.pixels.indices {
        let (x, y) = (place / 3 % 64, place / 192)
        picture.pixels[place] = UInt8((x * 3 + y * 2 + frame * 4) % 256)
      }
      try writer.write(picture)
    }
    try writer.finish()
  }

  @Test func writesAndReadsAClip() throws {
    let file = try ScratchFile(name: "clip.mp4")
    try Self.sample(frames: 50, path: file.path)
    let clip = try ClipSummary(file.path)
    #expect(clip.format == FrameFormat(pixelFormat: .i420, width: 64, height: 48))
    #expect(clip.rate.perSecond == 25 && clip.times.count == 50)
    for (index, time) in clip.times.enumerated() { #expect(abs(time - Double(index) / 25) < 1e-4) }
  }

  /// Odd sides are padded, and a picture stays as long as its time says.
  @Test func writerKeepsTime() throws {
    let file = try ScratchFile(name: "clip.mp4")
    var writer = try ClipWriter(path: file.path, width: 33, height: 17, rate: FrameRate(10))
    let picture = Picture(width: 33, height: 17)
    for time in [0, 0.1, 0.5, 0.9] {
      try writer.write(picture, at: Instant(nanoseconds: Int64(time * 1e9)))
    }
    try writer.finish()
    let clip = try ClipSummary(file.path)
    #expect(clip.format.width == 34 && clip.format.height == 18)
    #expect(clip.times.count == 10)
  }

  @Test func writerSaysWhatWentWrong() throws {
    var words = ""
    do throws(CameraError) {
      var writer = try ClipWriter(
        path: "/nowhere/clip.mp4", width: 64, height: 48, rate: FrameRate(25))
      let picture = Picture(width: 64, height: 48)
      for _ in 0..<500 { try writer.write(picture) }
      try writer.finish()
    } catch { words = sentence(error) }
    #expect(words.contains("ffmpeg failed") && words.contains("No such file"), "\(words)")
  }

  @Test func readsY4MItself() throws {
    let file = try ScratchFile(Y4MTests.clip(frames: 4), name: "clip.dat")
    let clip = try ClipSummary(file.path)
    #expect(clip.times == [0, 0.04, 0.08, 0.12])
  }

  @Test func badFilesAreErrors() throws {
    let garbage = try ScratchFile(Array("this is no clip at all, not at all\n".utf8), name: "a.mp4")
    let empty = try ScratchFile(name: "empty.mp4")
    let option = "-version"
    for (path, words) in [
      (garbage.path, "a clip that ffmpeg cannot read: "), (empty.path, "the file is empty"),
      ("/nowhere/a.mp4", "cannot be opened (ENOENT)"), (option, "cannot be opened (ENOENT)"),
    ] {
      let error = #expect(throws: CameraError.self) { try ClipSummary(path) }
      #expect(error.map(sentence)?.contains(words) == true, "\(error.map(sentence) ?? "")")
    }
  }

  @Test func truncatedClipsAreErrors() throws {
    let file = try ScratchFile(name: "clip.mp4")
    try Self.sample(frames: 50, path: file.path)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
    for share in [0.3, 0.6, 0.9] {
      let cut = try ScratchFile(Array(bytes[..<Int(Double(bytes.count) * share)]), name: "cut.mp4")
      let error = #expect(throws: CameraError.self) { try ClipSummary(cut.path) }
      #expect(error.map(sentence)?.isEmpty == false)
    }
  }

  /// Leaving a clip in the middle leaves no program behind.
  @Test func abandonedDecoderEnds() throws {
    let file = try ScratchFile(name: "clip.mp4")
    try Self.sample(frames: 50, path: file.path)
    var clip = try ClipReader(path: file.path)
    let slot = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 48 * 2, alignment: 64)
    defer { slot.deallocate() }
    #expect(try clip.readFrame(into: slot) != nil)
  }
}

@Suite(.enabled(if: SharedData.hasClips, "../shared/data/clips or the ffmpeg program is not there"))
struct SharedClipTests {
  @Test func liveClipHasItsFrames() throws {
    let clip = try ClipSummary(SharedData.clips + "/pair1_live.mov")
    #expect(clip.times.count == 199 && clip.rate.perSecond == 15)
    #expect(clip.format.width == 960 && clip.format.height == 540)
    let last = try #require(clip.times.last)
    #expect(abs(last - 198.0 / 15) < 0.05)
  }

  /// Recorded at an uneven rate: no frame is repeated to fill gaps, and each keeps its own time.
  @Test func unevenClipKeepsItsTimes() throws {
    let clip = try ClipSummary(SharedData.clips + "/leave.mov")
    #expect(clip.times.count == 169 && clip.repeats == 0)
    let last = try #require(clip.times.last)
    #expect(abs(last - 6.36) < 0.01)
    for (a, b) in zip(clip.times, clip.times.dropFirst()) { #expect(b > a && b - a < 0.05) }
  }
}
