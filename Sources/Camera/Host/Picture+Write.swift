import CPicture
import CPlatform
import FrameRing
import Platform

extension Picture {
  /// Writes a PNG file, over an older one.
  public func writePNG(to path: String) throws(CameraError) {
    let place = FixedString<128>(path)
    var message = [CChar](repeating: 0, count: Int(PICTURE_MESSAGE_BYTES))
    var encoded: UnsafeMutablePointer<UInt8>?
    var count = 0
    let size = picture_size(width: UInt32(width), height: UInt32(height))
    guard picture_png_encode(pixels, size, &encoded, &count, &message) == 0, let encoded else {
      throw CameraError(.transfer, path: place)
    }
    defer { picture_free(encoded) }
    do {
      let file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
      try file.writeFully(UnsafeRawBufferPointer(start: encoded, count: count))
    } catch { throw CameraError(.open, path: place, errno: error) }
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
      throw CameraError(.size(width: width, height: height), path: FixedString())
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
