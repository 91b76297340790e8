import Inference
import Kernels
import Pipeline
import Platform

/// One network of its own, for listing and measuring.
struct LoadedNetwork: ~Copyable {
  let summary: ModelSummary
  let needs: NetworkRequirements
  var network: Network
  // Last, so that it is given back after the network that lies in it.
  private let memory: MemoryMap

  init(path: String, kernels: KernelSet) throws(PipelineError) {
    do throws(ModelError) {
      let file = try ModelFile(path: path)
      let summary = try ModelSummary(file.bytes)
      let needs = try Network.requirements(file.bytes, kernels: kernels)
      let memory: MemoryMap
      do throws(Errno) { memory = try MemoryMap(byteCount: needs.total) } catch {
        throw .file(error)
      }
      var arena = Arena(memory.bytes)
      let network = try Network(file.bytes, arena: &arena, kernels: kernels)
      self.summary = summary
      self.needs = needs
      self.network = network
      self.memory = memory
    } catch {
      throw .model(FixedString(path), error)
    }
  }
}
