import FrameRing
import Platform

extension Y4MReader {
  /// Feeds the clip to a ring, until it ends, the ring is closed or a stop is asked for; then the
  /// ring is finished. A lockstep ring takes every frame as fast as the consumer does, with the
  /// clip's own times; a live one gets each frame when its time has come, stamped with the clock,
  /// as a camera would do it.
  public mutating func play(
    into ring: borrowing FrameRing, status: borrowing CameraStatus
  ) throws(CameraError) {
    defer {
      status.set(.stopped)
      ring.finish()
    }
    status.set(.running)
    let start = Instant.now()
    while !status.isStopRequested {
      guard try isReadable() else { continue }
      guard let lease = ring.beginWrite(), var info = try readFrame(into: lease.buffer) else {
        return
      }
      if ring.mode == .live {
        info.timestamp = start + (info.timestamp - .zero)
        sleep(for: info.timestamp - .now())
      }
      lease.commit(info)
    }
  }

  /// Waits a little for the next bytes, so that a stop is seen while a pipe is silent.
  private borrowing func isReadable() throws(CameraError) -> Bool {
    if !buffer.isEmpty { return true }
    do {
      return try file.waitUntilReadable(timeout: .milliseconds(200))
    } catch { throw CameraError(.transfer, path: path, errno: error) }
  }
}
