import CCamera
import FrameRing
import Platform

/// A camera that streams, and the buffers that frames come in.
///
/// In mapped buffers, which are the driver's, a frame is copied into the ring. In own memory, slots
/// of the ring are lent to the driver, which writes into them: no copy. `stop` must end it, so that
/// no slot stays lent.
struct CameraStream: ~Copyable {
  /// Buffers that are asked for, and the most that are used when a driver makes more of them.
  static let bufferCount = 4
  static let mostBuffers = 8
  /// The consumer reads one slot and may find a newer frame in another.
  static let slotsForConsumer = 2

  let found: FoundCamera
  let agreed: AgreedFormat
  private let handle: CameraHandle
  private var memory = CAMERA_MAPPED
  private var count = 0
  private var mapped = InlineArray<8, UnsafeMutableRawBufferPointer>(
    repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  /// The slot that the driver has under a buffer's number.
  private var lent = InlineArray<8, Int?>(repeating: nil)
  private var lastSequence: UInt32?

  var format: FrameFormat { agreed.format }
  var writesIntoRing: Bool { memory == CAMERA_OWN }

  /// Finds and opens the camera and agrees on a format.
  init(
    _ options: CameraOptions, _ calls: CameraCalls, largestFrame: Int
  ) throws(CameraError) {
    let found = try findCamera(options, calls)
    let handle: CameraHandle
    do { handle = try CameraHandle(calls.work, found.path) } catch {
      throw CameraError(.open, path: found.path, errno: error)
    }
    agreed = try handle.negotiate(options, with: found, largestFrame: largestFrame)
    self.found = found
    self.handle = handle
  }

  deinit {
    for index in 0..<Self.mostBuffers where mapped[index].baseAddress != nil {
      _ = camera_unmap(handle.calls, mapped[index].baseAddress, mapped[index].count)
    }
  }

  // MARK: Start and stop

  /// Starts the stream, in own memory where `lendsSlots` and the driver takes it.
  mutating func start(
    lendsSlots: Bool, from ring: borrowing FrameRing
  ) throws(CameraError) {
    if lendsSlots, startInRing(ring) { return }
    do throws(Errno) {
      try requestMapped()
      try queueAll(ring)
      _ = try handle.call { camera_stream($0, $1, 1) }
    } catch {
      throw CameraError(.call("the start of the stream"), path: found.path, errno: error)
    }
  }

  /// Stops the stream and starts it again, for a camera that has fallen silent.
  mutating func restart(_ ring: borrowing FrameRing) throws(CameraError) {
    do throws(Errno) {
      _ = try handle.call { camera_stream($0, $1, 0) }
      reclaimAll(ring)
      try queueAll(ring)
      _ = try handle.call { camera_stream($0, $1, 1) }
    } catch {
      throw CameraError(.call("the restart of the stream"), path: found.path, errno: error)
    }
    lastSequence = nil
  }

  /// Ends the stream; the driver has no slot of the ring any more.
  mutating func stop(_ ring: borrowing FrameRing) {
    _ = try? handle.call { camera_stream($0, $1, 0) }
    // A driver that did not stop ends when the device is closed, which is next: nobody else writes
    // into the ring until then.
    reclaimAll(ring)
  }

  /// False when the driver does not take memory of the ring; then nothing is lent.
  private mutating func startInRing(_ ring: borrowing FrameRing) -> Bool {
    let wanted = min(Self.mostBuffers, ring.slotCount - Self.slotsForConsumer)
    guard wanted >= 2, agreed.bufferBytes <= ring.slotBytes else { return false }
    do throws(Errno) {
      let made = try handle.call { camera_request($0, $1, CAMERA_OWN, UInt32(wanted)) }
      memory = CAMERA_OWN
      count = min(Int(made), wanted)
      guard Int(made) <= wanted else { throw Errno(code: 22) }
      try queueAll(ring)
      _ = try handle.call { camera_stream($0, $1, 1) }
      return true
    } catch {
      _ = try? handle.call { camera_stream($0, $1, 0) }
      _ = try? handle.call { camera_request($0, $1, CAMERA_OWN, 0) }
      reclaimAll(ring)
      memory = CAMERA_MAPPED
      count = 0
      return false
    }
  }

  private mutating func requestMapped() throws(Errno) {
    let made = try handle.call { camera_request($0, $1, CAMERA_MAPPED, UInt32(Self.bufferCount)) }
    count = min(Int(made), Self.mostBuffers)
    for index in 0..<count { mapped[index] = try handle.map(UInt32(index)) }
  }

  private mutating func queueAll(_ ring: borrowing FrameRing) throws(Errno) {
    for index in 0..<count { try queue(UInt32(index), ring) }
  }

  /// Hands a buffer to the driver; in own memory with a slot of the ring.
  private mutating func queue(_ index: UInt32, _ ring: borrowing FrameRing) throws(Errno) {
    guard memory == CAMERA_OWN else {
      _ = try handle.call { camera_queue($0, $1, index, nil, 0) }
      return
    }
    // No slot: the ring is closed, and nobody waits for frames any more.
    guard let lease = ring.beginWrite() else { return }
    let buffer = lease.buffer
    _ = try handle.call { camera_queue($0, $1, index, buffer.baseAddress, buffer.count) }
    lent[Int(index)] = lease.lend()
  }

  private mutating func reclaimAll(_ ring: borrowing FrameRing) {
    for index in 0..<Self.mostBuffers {
      if let slot = lent[index] { _ = ring.reclaim(slot) }
      lent[index] = nil
    }
  }

  // MARK: Frames

  /// Waits for a frame; false when `timeout` ends first.
  borrowing func waitForFrame(timeout: Duration) throws(CameraError) -> Bool {
    let device = FileDescriptor(borrowing: handle.raw)
    do { return try device.waitUntilReadable(timeout: timeout) } catch {
      throw CameraError(.call("poll"), path: found.path, errno: error)
    }
  }

  /// What came of a look for a frame.
  enum Arrival {
    /// Nothing was there after all.
    case nothing
    /// A frame; `lost` came before it and are gone.
    case frame(lost: UInt32)
    /// A damaged or short frame, which is left out.
    case broken
  }

  /// Takes a frame from the driver into the ring, and gives the buffer back.
  mutating func take(into ring: borrowing FrameRing) throws(CameraError) -> Arrival {
    var frame = camera_frame()
    let memory = memory
    do { _ = try handle.call { camera_dequeue($0, $1, memory, &frame) } } catch {
      if error.code == 11 { return .nothing }
      throw CameraError(.call("VIDIOC_DQBUF"), path: found.path, errno: error)
    }
    let isWhole = deliver(frame, into: ring)
    let lost = lastSequence.map { frame.sequence &- $0 &- 1 } ?? 0
    lastSequence = frame.sequence
    do { try queue(frame.index, ring) } catch {
      throw CameraError(.call("VIDIOC_QBUF"), path: found.path, errno: error)
    }
    // A number that goes back is a driver that counts anew.
    return isWhole ? .frame(lost: lost < 1 << 31 ? lost : 0) : .broken
  }

  /// False for a frame that is damaged or too short.
  private mutating func deliver(_ frame: camera_frame, into ring: borrowing FrameRing) -> Bool {
    let index = Int(frame.index)
    guard index < count else { return false }
    if memory == CAMERA_OWN {
      guard let slot = lent[index] else { return false }
      lent[index] = nil
      let lease = ring.reclaim(slot)
      guard let info = info(frame, roomFor: lease.buffer.count) else { return false }
      lease.commit(info)
      return true
    }
    let buffer = mapped[index]
    guard let info = info(frame, roomFor: min(buffer.count, ring.slotBytes)) else { return false }
    // No slot: the ring is closed.
    guard let lease = ring.beginWrite() else { return true }
    lease.buffer.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<info.bytesUsed]))
    lease.commit(info)
    return true
  }

  private func info(_ frame: camera_frame, roomFor room: Int) -> FrameInfo? {
    let bytes = min(Int(frame.bytes), format.byteCount)
    guard frame.broken == 0, format.minimumByteCount...room ~= bytes else { return nil }
    return FrameInfo(
      sequence: frame.sequence, timestamp: time(of: frame), format: format, bytesUsed: bytes)
  }

  /// The driver's time, where it can be one: some stamp with another clock, or with none.
  private func time(of frame: camera_frame) -> Instant {
    let now = Instant.now()
    let stamped = Instant(nanoseconds: frame.nanoseconds)
    return now - .seconds(2)...now ~= stamped ? stamped : now
  }
}
