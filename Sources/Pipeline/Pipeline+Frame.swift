import Faces
import FrameRing
import Imaging
import Liveness
import Platform
import SerialLog

extension Pipeline {
  /// Takes one frame through all stages.
  mutating func process(_ lease: borrowing ReadLease) {
    let info = lease.info
    let start = Instant.now()
    let frame: FrameView
    do {
      frame = try FrameView(lease.bytes, format: info.format, orientation: orientation)
    } catch {
      return skip(error, info)
    }
    do { try finder.process(frame, at: info.timestamp) } catch { return skip(error, info) }
    let found = Instant.now()
    times.add(.faces, found - start)

    rate.add(info.timestamp)
    let observation = observe(frame, info)
    let events = machine.process(observation, faces: finder.faces)
    let seen = clock == .clip ? info.timestamp : start
    for index in 0..<events.count { handle(events[index], seen: seen, at: info.timestamp) }
    hasFace = isAnyoneThere
    door.tick(hasFace: hasFace, hasCamera: true, at: doorTime(of: info.timestamp))
    frames &+= 1
    if frames == 1, clock == .live {
      // The log's clock begins with the machine: how long from power to a door that looks.
      log.write(LogLine("first-frame", .notice, at: .now()))
    }
    lastFrame = info
    times.add(.decision, Instant.now() - found)

    observer.observe(
      FrameReport(
        info: info, frame: frame, faces: finder.faces, observation: observation, events: events,
        reading: machine.reading, state: door.shown))
  }

  private func observe(_ frame: borrowing FrameView, _ info: FrameInfo) -> Observation {
    let whole = Rect(x: 0, y: 0, width: Float(frame.width), height: Float(frame.height))
    let faces = finder.faces
    let part = faces.isEmpty ? whole : faces[0].box
    var observation = Observation(
      time: info.timestamp, pictureWidth: frame.width, pictureHeight: frame.height,
      mirrored: orientation.mirror)
    observation.quality = measureQuality(frame, within: part)
    observation.signature = signature(of: frame).hash
    observation.framesPerSecond = rate.framesPerSecond
    return observation
  }

  /// - Parameter seen: when the frame was taken, on the outputs' clock.
  mutating func handle(_ event: LivenessEvent, seen: Instant, at time: Instant) {
    log.write(event.logLine(at: time, face: face(of: event.track), greetings: greetings))
    door.take(event, seen: seen, at: doorTime(of: time))
  }

  /// The outputs' clock: a clip's own time, or the machine's.
  private func doorTime(of time: Instant) -> Instant { clock == .clip ? time : Instant.now() }

  private func face(of track: UInt32?) -> Face? {
    guard let track else { return nil }
    let faces = finder.faces
    for index in faces.indices where faces[index].trackingID == track { return faces[index] }
    return nil
  }

  private var isAnyoneThere: Bool {
    let faces = finder.faces
    for index in faces.indices where faces[index].unseenFrames == 0 { return true }
    return false
  }

  /// A frame that cannot be used is counted, and said once until one can.
  private mutating func skip(_ error: ImagingError, _ info: FrameInfo) {
    door.tick(hasFace: hasFace, hasCamera: true, at: doorTime(of: info.timestamp))
    brokenFrames &+= 1
    guard brokenFrames == 1 || lastFrame.map({ $0.sequence &+ 1 == info.sequence }) ?? false else {
      return
    }
    var line = LogLine("frame.broken", .warning, at: info.timestamp)
    line.add("sequence", info.sequence)
    line.add("bytes", info.bytesUsed)
    log.write(line)
  }
}

#if !hasFeature(Embedded)
  extension Pipeline {
    /// Takes the frame whose turn it is out of the ring and through all stages: from the picture to
    /// the events in the log. Does nothing when none waits. For measurements.
    public mutating func processWaitingFrame() {
      if let lease = ring.pointee.take() { process(lease) }
    }
  }
#endif
