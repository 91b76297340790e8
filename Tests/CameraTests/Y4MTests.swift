import FrameRing
import Platform
import Testing

@testable import Camera

/// Everything that a reader makes of a clip.
struct Y4MResult {
  var format: FrameFormat?
  var rate: FrameRate?
  var times: [Int64] = []
  var frames: [[UInt8]] = []
  var error: CameraError?

  /// - Parameter most: frames to read at most.
  init(_ bytes: [UInt8], most: Int = 100) throws {
    // Through a pipe, which holds any clip of these tests.
    let pair = try DescriptorPair()
    let writer = pair.theirs.raw
    try bytes.withUnsafeBytes { try FileDescriptor(borrowing: writer).writeFully($0) }
    let file = pair.takeOurs()
    do throws(CameraError) {
      var reader = try Y4MReader(file, path: FixedString("clip"))
      format = reader.format
      rate = reader.rate
      let guards = 16
      var slot = [UInt8](repeating: 0xA5, count: reader.format.byteCount + guards)
      for _ in 0..<most {
        let count = reader.format.byteCount
        var read: Result<FrameInfo?, CameraError> = .success(nil)
        slot.withUnsafeMutableBytes { raw in
          let place = UnsafeMutableRawBufferPointer(rebasing: raw[..<count])
          do throws(CameraError) { read = .success(try reader.readFrame(into: place)) } catch {
            read = .failure(error)
          }
        }
        if slot[count...].contains(where: { $0 != 0xA5 }) { Issue.record("wrote past a frame") }
        guard let info = try read.get() else { return }
        times.append(info.timestamp.nanoseconds)
        frames.append(Array(slot[..<count]))
      }
    } catch { self.error = error }
  }

  var fault: String { error.map { "\($0.fault)" } ?? "none" }
}

struct Y4MTests {
  /// `frames` frames of 6x4, the bytes of frame n all n.
  static func clip(
    _ header: String = "YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420jpeg", frames: Int = 3,
    bytes: Int = 24 + 12, mark: String = "FRAME"
  ) -> [UInt8] {
    var clip = Array((header + "\n").utf8)
    for frame in 0..<frames {
      clip += Array((mark + "\n").utf8) + Array(repeating: UInt8(frame), count: bytes)
    }
    return clip
  }

  @Test func readsEveryFrame() throws {
    let result = try Y4MResult(Self.clip())
    #expect(result.error == nil)
    #expect(result.format == FrameFormat(pixelFormat: .i420, width: 6, height: 4))
    #expect(result.times == [0, 40_000_000, 80_000_000])
    #expect(result.frames == (0..<3).map { Array(repeating: UInt8($0), count: 36) })
  }

  @Test func oddSizesAndParameters() throws {
    let result = try Y4MResult(
      Self.clip(
        "YUV4MPEG2 H3 W5  F30000:1001 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=FULL", bytes: 15 + 12,
        mark: "FRAME Ip"))
    #expect(result.error == nil && result.frames.count == 3)
    #expect(
      result.format
        == FrameFormat(pixelFormat: .i420, width: 5, height: 3, colorRange: .full))
    #expect(result.times == [0, 33_366_666, 66_733_333])
  }

  @Test func greyHasNoChroma() throws {
    let result = try Y4MResult(Self.clip("YUV4MPEG2 W6 H4 F1:1 Cmono", bytes: 24))
    #expect(result.error == nil && result.frames.count == 3)
    #expect(result.format?.pixelFormat == .grey)
  }

  @Test(arguments: [
    ("", "the file is empty"),
    ("RIFF", "ends too early"),
    ("RIFF\n", "no YUV4MPEG2"),
    ("YUV4MPEG2\n", "frames of 0x0"),
    ("YUV4MPEG2 W6 F25:1\n", "frames of 6x0"),
    ("YUV4MPEG2 W4097 H4 F25:1\n", "frames of 4097x4"),
    ("YUV4MPEG2 W999999999 H999999999 F25:1\n", "frames of 999999999x999999999"),
    ("YUV4MPEG2 W9999999999999999999999 H4 F25:1\n", "frames of 0x4"),
    ("YUV4MPEG2 W-6 H4 F25:1\n", "frames of 0x4"),
    ("YUV4MPEG2 W6 H4\n", "frame rate"),
    ("YUV4MPEG2 W6 H4 F0:0\n", "frame rate"),
    ("YUV4MPEG2 W6 H4 F25\n", "frame rate"),
    ("YUV4MPEG2 W6 H4 F1:2\n", "frame rate"),
    ("YUV4MPEG2 W6 H4 F1001:1\n", "frame rate"),
    ("YUV4MPEG2 W6 H4 F25:1 C422\n", "colour space"),
    ("YUV4MPEG2 W6 H4 F25:1 C420p10\n", "colour space"),
    ("YUV4MPEG2 W6 H4 F25:1 C444\n", "colour space"),
    ("YUV4MPEG2 W6 H4 F25:1\nFRAM\n", "no FRAME"),
    ("YUV4MPEG2 W6 H4 F25:1\nFRAMES\n", "no FRAME"),
    ("YUV4MPEG2 W6 H4 F25:1\nFRAME", "ends too early"),
    ("YUV4MPEG2 W6 H4 F25:1\nFRAME\n123", "ends too early"),
  ])
  func refusesBadClips(_ text: String, _ words: String) throws {
    let result = try Y4MResult(Array(text.utf8))
    let error = try #require(result.error)
    #expect(sentence(error).contains(words), "\(sentence(error))")
  }

  @Test func longHeaderIsRefused() throws {
    let header = "YUV4MPEG2 W6 H4 F25:1 X" + String(repeating: "x", count: 2000)
    let error = try #require(try Y4MResult(Self.clip(header)).error)
    #expect(sentence(error).contains("too long"))
  }

  @Test func truncationIsAnErrorAfterTheWholeFrames() throws {
    let clip = Self.clip()
    for cut in 1..<36 {
      let result = try Y4MResult(Array(clip.dropLast(cut)))
      #expect(result.frames.count == 2 && result.fault == "truncated")
    }
  }

  @Test func missingFileIsAnError() throws {
    let path = FixedString<128>("/nowhere/clip.y4m")
    let error = #expect(throws: CameraError.self) { _ = try Y4MReader(path: path) }
    #expect(error.map(sentence)?.contains("/nowhere/clip.y4m: cannot be opened (ENOENT)") == true)
  }

  @Test func readErrorIsAnError() throws {
    let file = try ScratchFile(Self.clip())
    var reader = try Y4MReader(path: FixedString(file.path))
    var slot = [UInt8](repeating: 0, count: 36)
    // The first read took the whole clip; the next one looks for its end.
    FaultPlan.fail(.read, code: 5)
    defer { FaultPlan.clear() }
    var words = ""
    var frames = 0
    slot.withUnsafeMutableBytes { raw in
      do throws(CameraError) {
        while try reader.readFrame(into: raw) != nil { frames += 1 }
      } catch { words = sentence(error) }
    }
    #expect(frames == 3 && words.hasSuffix("reading or writing failed (EIO)"))
  }

  /// Bytes of a small clip changed, cut out, repeated: an error or frames, never a crash or a byte
  /// outside.
  @Test func survivesMutations() throws {
    var random = RandomSource(seed: 20)
    let clip = Self.clip("YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL")
    var (read, refused) = (0, 0)
    for _ in 0..<3000 {
      var bytes = clip
      for _ in 0...random.below(4) {
        let place = random.below(random.below(2) == 0 ? 60 : bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] = Array("0123456789 :\nWHFC".utf8)[random.below(17)]
        case 2: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[place...].prefix(random.below(9)), at: place)
        }
      }
      let result = try Y4MResult(bytes, most: 5)
      if result.error == nil { read += 1 } else { refused += 1 }
    }
    #expect(read > 100 && refused > 100)
  }

  /// Through a pipe, in pieces, into a lockstep ring: nothing is lost.
  @Test func playsInLockstep() throws {
    let file = try ScratchFile(Self.clip(frames: 50))
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 2, slotBytes: 64))
    let ring = try FrameRing(memory: memory.bytes, slots: 2, slotBytes: 64, mode: .lockstep)
    let status = try CameraStatus()
    let path = file.path
    let seen = try withPlayer(of: path, ring, status) { () -> [UInt32] in
      var seen: [UInt32] = []
      while ring.waitForFrame(timeout: .seconds(20)) == .frame {
        guard let lease = ring.take() else { continue }
        seen.append(lease.info.sequence)
        #expect(lease.bytes.unsafeLoad(as: UInt8.self) == UInt8(lease.info.sequence))
      }
      return seen
    }
    #expect(seen == Array(0..<50))
    #expect(ring.counts.dropped == 0)
    #expect(status.state == .stopped)
  }

  /// Live, the time stamps are the clock's, in the clip's steps.
  @Test func playsLikeACamera() throws {
    let file = try ScratchFile(Self.clip("YUV4MPEG2 W6 H4 F500:1", frames: 20))
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 4, slotBytes: 64))
    let ring = try FrameRing(memory: memory.bytes, slots: 4, slotBytes: 64)
    let status = try CameraStatus()
    let before = Instant.now()
    let times = try withPlayer(of: file.path, ring, status) { () -> [(UInt32, Instant)] in
      var times: [(UInt32, Instant)] = []
      while ring.waitForFrame(timeout: .seconds(20)) == .frame {
        guard let lease = ring.take() else { continue }
        times.append((lease.info.sequence, lease.info.timestamp))
      }
      return times
    }
    let first = try #require(times.first)
    #expect(first.1 >= before && times.last?.0 == 19)
    for (sequence, time) in times {
      let since = Int64(sequence - first.0) * 2_000_000
      #expect((time - first.1).wholeNanoseconds == since)
    }
    #expect(ring.counts.taken + ring.counts.dropped == 20)
  }

  @Test func stops() throws {
    let file = try ScratchFile(Self.clip("YUV4MPEG2 W6 H4 F1:1", frames: 3))
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 2, slotBytes: 64))
    let ring = try FrameRing(memory: memory.bytes, slots: 2, slotBytes: 64, mode: .lockstep)
    let status = try CameraStatus()
    status.requestStop()
    let frames = try withPlayer(of: file.path, ring, status) {
      ring.waitForFrame(timeout: .seconds(20))
    }
    #expect(frames == .ended && ring.counts.produced == 0)
  }

  @Test func slotTooSmallIsAnError() throws {
    let file = try ScratchFile(Self.clip())
    var reader = try Y4MReader(path: FixedString(file.path))
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 2, slotBytes: 35))
    let ring = try FrameRing(memory: memory.bytes, slots: 2, slotBytes: 35, mode: .lockstep)
    let status = try CameraStatus()
    var words = ""
    do throws(CameraError) { try reader.play(into: ring, status: status) } catch {
      words = sentence(error)
    }
    #expect(words.contains("frames of 6x4"))
    #expect(ring.waitForFrame(timeout: .zero) == .ended)
  }

  @Test func timesAreExactForYears() {
    let rate = FrameRate(30000, 1001)
    #expect(rate.time(of: 30000).nanoseconds == 1_001_000_000_000)
    #expect(FrameRate(1).time(of: .max).nanoseconds == 4_294_967_295_000_000_000)
    #expect(FrameRate(999_999_999, 999_999_999).time(of: .max).nanoseconds > 0)
  }
}

/// What the player's thread is handed.
final class PlayerContext: @unchecked Sendable {
  let path: String
  let ring: UnsafePointer<FrameRing>
  let status: UnsafePointer<CameraStatus>

  init(_ path: String, _ ring: UnsafePointer<FrameRing>, _ status: UnsafePointer<CameraStatus>) {
    self.path = path
    self.ring = ring
    self.status = status
  }
}

func playerBody(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let player = Unmanaged<PlayerContext>.fromOpaque(context).takeUnretainedValue()
  do throws(CameraError) {
    var reader = try Y4MReader(path: FixedString(player.path))
    try reader.play(into: player.ring.pointee, status: player.status.pointee)
  } catch {
    Issue.record("\(sentence(error))")
    player.ring.pointee.finish()
  }
}

/// Runs `body` while a thread plays a clip into the ring.
func withPlayer<Result>(
  of path: String, _ ring: borrowing FrameRing, _ status: borrowing CameraStatus,
  _ body: () throws -> Result
) throws -> Result {
  try withUnsafePointer(to: ring) { ring in
    try withUnsafePointer(to: status) { status in
      let context = PlayerContext(path, ring, status)
      return try withExtendedLifetime(context) {
        let thread = try Thread(
          name: "player", context: Unmanaged.passUnretained(context).toOpaque(), body: playerBody)
        let result = Swift.Result { try body() }
        _ = consume thread
        return try result.get()
      }
    }
  }
}
