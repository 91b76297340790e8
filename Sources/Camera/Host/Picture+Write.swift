import CPicture
import CPlatform
import FrameRing
import Platform

extension Picture {
  /// Writes a PNG file, over an older one.
  /// - Throws: `open`; `transfer` with the library's words, or when the file could not be written
  ///   to its end.
  public func writePNG(to path: String) throws(CameraError) {
    let place = FixedString<128>(path)
    var encoded: UnsafeMutablePointer<UInt8>?
    var count = 0
    let size = picture_size(width: UInt32(width), height: UInt32(height))
    let words = pictureFailure { picture_png_encode(pixels, size, &encoded, &count, $0) }
    guard words == nil, let encoded else {
      throw CameraError(.transfer, path: place, detail: words ?? FixedString())
    }
    defer { picture_free(encoded) }
    let file: FileDescriptor
    do { file = try .open(path, flags: O_WRONLY | O_CREAT | O_TRUNC) } catch {
      throw CameraError(.open, path: place, errno: error)
    }
    do { try file.writeFully(UnsafeRawBufferPointer(start: encoded, count: count)) } catch {
      throw CameraError(.transfer, path: place, errno: error)
    }
  }

  /// Shows the picture to a ring as a clip without motion, as long as `duration`, then finishes it.
  public func play(
    into ring: borrowing FrameRing, status: borrowing CameraStatus, for duration: Duration,
    rate: FrameRate
  ) throws(CameraError) {
    defer {
      status.set(.stopped)
      ring.finish()
    }
    guard ring.slotBytes >= pixels.count else {
      throw CameraError(.size(width: width, height: height), path: FixedString("the picture"))
    }
    status.set(.running)
    let start = ring.mode == .live ? Instant.now() : .zero
    var index: UInt32 = 0
    while !status.isStopRequested, rate.time(of: index) - .zero < duration {
      guard let lease = ring.beginWrite() else { return }
      pixels.withUnsafeBytes { lease.buffer.copyMemory(from: $0) }
      let time = start + (rate.time(of: index) - .zero)
      if ring.mode == .live { sleep(for: time - .now()) }
      lease.commit(
        FrameInfo(sequence: index, timestamp: time, format: format, bytesUsed: pixels.count))
      index += 1
    }
  }
}
