import FrameRing
import Faces
import Imaging
import Kernels
import Platform
import Settings

/// Faces without the rest: no ring, no liveness, no lines. For pictures and measurements.
public struct FaceStage: ~Copyable {
  public let kernels: KernelSet
  public var finder: FaceFinder
  // Last, so that it is given back after all that lies in it.
  private let memory: MemoryMap

  /// Loads the models and takes memory for frames up to `format`.
  public init(_ settings: borrowing Settings, format: FrameFormat) throws(PipelineError) {
    let kernels = KernelSet.detect()
    let files = try ModelFiles(settings)
    var plan = MemoryPlan()
    plan.networks = try files.byteCount(kernels)
    plan.faces = FaceFinder.byteCount(
      settings.faces, frameWidth: format.width, frameHeight: format.height)
    let memory: MemoryMap
    do throws(Errno) { memory = try MemoryMap(byteCount: plan.total) } catch {
      throw .system("memory", error)
    }
    var arena = Arena(memory.bytes)
    finder = try files.finder(settings, format: format, arena: &arena, kernels: kernels)
    self.kernels = kernels
    self.memory = memory
  }
}
