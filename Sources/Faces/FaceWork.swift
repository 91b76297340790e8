/// What was done for one frame, for the heartbeat and the benchmark.
public struct FaceWork: Equatable, Sendable {
  /// A clock that counts nanoseconds. It only measures: no face depends on it.
  public typealias Clock = @convention(c) () -> Int64

  /// Runs of the networks.
  public var detectorRuns = 0
  /// Runs of the mesh network.
  public var meshRuns = 0
  /// Of the heads and the gender network together, a face counted once.
  public var attributeRuns = 0
  /// Time of these runs, with the scaling and cropping before and the reading after; 0 without a
  /// clock.
  public var detector = Duration.zero
  /// As ``detector``, of the mesh.
  public var mesh = Duration.zero
  /// As ``detector``, of the heads and the gender network.
  public var attributes = Duration.zero

  public init() {}
}
