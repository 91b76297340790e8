/// Fast or accurate networks.
public enum PerformanceMode: UInt8, Sendable { case fast, accurate }

/// The detector's picture, in pixels. Faces below about 10 pixels there are missed.
public enum DetectorInput: UInt8, Sendable { case w160h120, w320h240 }

/// What to compute for each face, after ML Kit's options.
public struct FaceOptions: Equatable, Sendable {
  /// Which networks look.
  public var performance: PerformanceMode = .fast
  /// Size of the detector's picture: larger finds smaller faces and costs more.
  public var detectorInput: DetectorInput = .w320h240
  /// Whether ``Face/landmarks`` and what is measured from them are computed.
  public var landmarks = true
  /// Whether smile, open eyes and gender are computed.
  public var classification = true
  /// Whether faces are followed and have IDs; off for single pictures.
  public var tracking = true
  /// Smallest head width as a share of the picture's width, 0.03 to 1.
  public var minFaceSize: Float = 0.1
  /// A face must be found in `framesToAppear` of the last `appearWindow` frames.
  public var framesToAppear = 3
  /// See ``framesToAppear``; 1 to 32.
  public var appearWindow = 5
  /// Frames without it until a face is lost.
  public var framesToLose = 10
  /// The detector runs at least every so many frames while faces are followed.
  public var detectEvery = 5
  /// The detector's threshold, 0 to 1.
  public var detectThreshold: Float = 0.6
  /// The mesh, and all that comes from it, is computed for at most so many faces a frame, most
  /// prominent first: 0 to 8.
  public var meshes = 2

  public init() {}
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension PerformanceMode: CaseIterable {}
  extension DetectorInput: CaseIterable {}
#endif
