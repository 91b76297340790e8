import Faces
import FrameRing
import Imaging
import Inference
import Kernels
import Platform
import Settings

/// The files of the line-up while networks are made out of them. They are given back afterwards.
struct ModelFiles: ~Copyable {
  let detector: ModelFile
  let mesh: ModelFile
  let smile: ModelFile
  let eye: ModelFile
  let gender: ModelFile

  /// Reads the models that the options need from the settings' folder.
  init(_ settings: borrowing Settings) throws(PipelineError) {
    let folder = settings.models
    let names = modelNames(settings)
    let detector = try Self.open(folder, names[0])
    let mesh = try Self.open(folder, names[1])
    let eye = try Self.open(folder, names[2])
    let smile = try Self.open(folder, names[3])
    let gender = try Self.open(folder, names[4])
    self.detector = detector
    self.mesh = mesh
    self.smile = smile
    self.eye = eye
    self.gender = gender
  }

  /// Bytes that the networks take from an arena.
  func byteCount(_ kernels: KernelSet) throws(PipelineError) -> Int {
    var total = 0
    total += try Self.need(detector, kernels, "detector")
    total += try Self.need(mesh, kernels, "mesh")
    total += try Self.need(smile, kernels, "smile")
    total += try Self.need(eye, kernels, "eye-open")
    total += try Self.need(gender, kernels, "gender")
    return total
  }

  /// Makes the networks, which costs a pass over the weights, and the finder that uses them.
  func finder(
    _ settings: borrowing Settings, format: FrameFormat, arena: inout Arena, kernels: KernelSet
  ) throws(PipelineError) -> FaceFinder {
    let networks = try networks(arena: &arena, kernels: kernels)
    do throws(FacesError) {
      return try FaceFinder(
        settings.faces, networks: networks, frameWidth: format.width,
        frameHeight: format.height, arena: &arena)
    } catch {
      throw .faces(error)
    }
  }

  private func networks(
    arena: inout Arena, kernels: KernelSet
  ) throws(PipelineError) -> FaceNetworks {
    FaceNetworks(
      detector: try Self.make(detector, &arena, kernels, "detector"),
      mesh: try Self.make(mesh, &arena, kernels, "mesh"),
      eye: try Self.make(eye, &arena, kernels, "eye-open"),
      smile: try Self.make(smile, &arena, kernels, "smile"),
      gender: try Self.make(gender, &arena, kernels, "gender"))
  }

  private static func open(
    _ folder: FixedString<192>, _ name: StaticString
  ) throws(PipelineError) -> ModelFile {
    var path = FixedString<224>()
    path.append(folder)
    path.append("/")
    path.append(name)
    do throws(ModelError) {
      return try path.withCString { text throws(ModelError) in try ModelFile(path: text) }
    } catch {
      throw .model(path, error)
    }
  }

  private static func need(
    _ file: borrowing ModelFile, _ kernels: KernelSet, _ name: StaticString
  ) throws(PipelineError) -> Int {
    do throws(ModelError) {
      return try Network.requirements(file.bytes, kernels: kernels).total
    } catch {
      throw .model(FixedString(name), error)
    }
  }

  private static func make(
    _ file: borrowing ModelFile, _ arena: inout Arena, _ kernels: KernelSet, _ name: StaticString
  ) throws(PipelineError) -> Network {
    do throws(ModelError) {
      return try Network(file.bytes, arena: &arena, kernels: kernels)
    } catch {
      throw .model(FixedString(name), error)
    }
  }
}
