import CKernels
import KernelsVNNI

extension RowForm {
  static var vnni: RowForm {
    RowForm(
      block: 16, tile: 8, unit: 4, staging: .uint8, depthwiseWeightBytes: 1,
      blockConstantBytes: BlockConstants.byteCount)
  }
}

#if arch(x86_64)
  extension RowPass {
    func stageVNNI(
      _ source: UnsafeRawPointer, _ count: Int, into staged: UnsafeMutableRawPointer
    ) {
      stage_s8_x64_vnni(source, count: count, into: staged)
    }

    /// The outputs of one block, straight from the registers where its constants allow that.
    /// Otherwise its sums, which the caller finishes; returns whether there are outputs.
    func makeBlockVNNI(
      _ number: Int, firstPixel: Int, _ pixels: Int, _ firstRow: Int, _ weights: UnsafeRawPointer
    ) -> Bool {
      let constants =
        packed + layer.table.byteCount + number * layer.form.blockConstantBytes
      let job: kernels_requantisation
      var finish = Finish.sums(sums)
      switch destination {
      case .raw:
        job = self.job(number, firstPixel, .raw(zeroPoint: zeroPoint), nil)
      case .quantised(let requantisation, let residual, let output):
        job = self.job(number, firstPixel, requantisation, residual)
        let first = firstPixel * layer.shape.output.channels + number * layer.form.block
        finish =
          directFinish(
            requantisation, constants, output.assumingMemoryBound(to: Int8.self) + first) ?? finish
      }
      let block = Block(job, constants, finish)
      let shape = layer.shape
      switch layer.kind {
      case .convolution:
        convolve_s8_8x16_vnni(
          block, ring: ring, pitch: layer.pitch, rowCount: shape.window.height,
          firstRow: firstRow, units: layer.rowUnits, pixels: pixels, step: layer.step,
          weights: weights)
      case .depthwise:
        depthwise_s8_8x16_vnni(
          block, ring: ring, pitch: layer.pitch, rowCount: shape.window.height,
          firstRow: firstRow, columns: shape.window.width,
          stride: shape.window.horizontalStride, pixels: pixels, offset: number * 16,
          pixelBytes: shape.input.channels, weights: weights)
      }
      if case .sums = finish { return false }
      return true
    }

    /// nil where the constants do not promise exact outputs.
    private func directFinish(
      _ requantisation: Requantisation, _ constants: UnsafeRawPointer,
      _ output: UnsafeMutablePointer<Int8>
    ) -> Finish? {
      guard requantisation.rounding == .perType else { return nil }
      let summary = BlockConstants.summary.offset
      let bits = constants.loadUnaligned(fromByteOffset: summary, as: Int32.self)
      guard let residual = requantisation.residual else {
        if bits & BlockConstants.plainBit != 0 { return .plain(output) }
        return bits & BlockConstants.slopesBit != 0 ? .slopes(output) : nil
      }
      let multiplier = residual.multiplier
      guard layer.kind == .convolution, bits & BlockConstants.residualBit != 0, multiplier >= 0,
        multiplier % 256 == 0, multiplier < 1 << 23
      else { return nil }
      let largest = constants.loadUnaligned(fromByteOffset: summary + 4, as: Int32.self)
      return Int64(largest) + 255 * Int64(multiplier) <= BlockConstants.largestWithResidual
        ? .residual(output) : nil
    }
  }
#endif
