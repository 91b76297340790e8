import FrameRing
import Platform

/// A recorded clip, read frame by frame.
public protocol ClipSource: ~Copyable {
  /// Of every frame.
  var format: FrameFormat { get }
  /// The clip's nominal rate; the frames' own times may differ from it.
  var rate: FrameRate { get }
  /// Reads the next frame into `slot`, of at least `format.byteCount` bytes; nil at the end. The time
  /// stamp counts from the clip's start.
  mutating func readFrame(into slot: UnsafeMutableRawBufferPointer) throws(CameraError)
    -> FrameInfo?
  /// Waits a little for the next bytes, so that a stop is seen while a pipe is silent.
  borrowing func isReadable() throws(CameraError) -> Bool
}

extension ClipSource where Self: ~Copyable {
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
}
