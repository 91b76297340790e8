import Imaging
import Platform

/// What the liveness machine is told of one frame, besides its faces. What was not measured is
/// nil, and no gate or check then judges it.
public struct Observation: Equatable, Sendable {
  /// When the frame was taken. A frame that is not later than the one before is ignored.
  public var time: Instant
  /// Size of the upright picture, in pixels: the one that the faces' places refer to.
  public var pictureWidth: Int
  public var pictureHeight: Int
  /// Whether the upright picture shows left and right as in a looking glass.
  public var mirrored: Bool
  /// Of the part that the face takes, or of the whole picture without a face.
  public var quality: PictureQuality?
  /// Any hash of the frame's bytes. Two frames of a camera never have equal bytes, because of the
  /// sensor's noise; frames that repeat are a frozen or looped picture.
  public var signature: UInt64?
  /// The rate at which frames are really processed; nil lets the machine measure it by their times.
  public var framesPerSecond: Float?

  public init(
    time: Instant, pictureWidth: Int, pictureHeight: Int, mirrored: Bool = false,
    quality: PictureQuality? = nil, signature: UInt64? = nil, framesPerSecond: Float? = nil
  ) {
    self.time = time
    self.pictureWidth = pictureWidth
    self.pictureHeight = pictureHeight
    self.mirrored = mirrored
    self.quality = quality
    self.signature = signature
    self.framesPerSecond = framesPerSecond
  }
}
