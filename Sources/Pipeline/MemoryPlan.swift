import Faces
import FrameRing

/// What the pipeline's memory is used for, in bytes. Mapped once; nothing grows.
public struct MemoryPlan: Equatable, Sendable {
  public var ring = 0
  public var networks = 0
  public var faces = 0

  /// Rounded up to whole pages, with room for alignment between the parts.
  public var total: Int { (ring + networks + faces + 8 * 64 + 4095) / 4096 * 4096 }
}
