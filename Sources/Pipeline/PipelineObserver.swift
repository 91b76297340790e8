import Board
import Faces
import FrameRing
import Imaging
import Liveness

/// What the pipeline made of one frame.
public struct FrameReport: ~Escapable {
  public let info: FrameInfo
  public let frame: FrameView
  /// All faces that are followed, those unseen in this frame too.
  public let faces: Span<Face>
  /// What the liveness machine was told of the frame.
  public let observation: Observation
  public let events: LivenessEvents
  /// What the face in question does; nil without one.
  public let reading: GestureReading?
  /// What the outputs show after this frame.
  public let state: OutputState

  @_lifetime(copy frame, copy faces)
  init(
    info: FrameInfo, frame: borrowing FrameView, faces: Span<Face>,
    observation: Observation, events: LivenessEvents,
    reading: GestureReading?, state: OutputState
  ) {
    self.info = info
    self.frame = copy frame
    self.faces = faces
    self.observation = observation
    self.events = events
    self.reading = reading
    self.state = state
  }
}

/// Looks on while the pipeline works. The firmware's does nothing; the tool's prints or draws.
public protocol PipelineObserver {
  mutating func observe(_ report: borrowing FrameReport)
}

/// Looks at nothing.
public struct NoObserver: PipelineObserver {
  public init() {}
  public mutating func observe(_ report: borrowing FrameReport) {}
}
