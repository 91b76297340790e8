import FrameRing

/// Where one channel lies in the summed row.
struct Channel {
  let start: UnsafePointer<UInt16>
  /// Values from one sample to the next.
  let step: Int
}

extension ScalePlan {
  /// Scales a whole frame.
  /// - Parameters:
  ///   - frame: bytes that the format was checked against.
  ///   - output: the picture's top left pixel in the output.
  ///   - outputWidth: pixels of an output row.
  func run(
    _ frame: UnsafeRawPointer, into output: UnsafeMutablePointer<Int8>, outputWidth: Int
  ) {
    let columnStep = (orientation.swapsAxes ? outputWidth : 1) &* 3
    let rowStep = (orientation.swapsAxes ? 1 : outputWidth) &* 3
    let conversion = YUVToRGB(format.colorRange)
    let stride = format.bytesPerLine
    let width = format.width
    let chromaWidth = (width + 1) / 2
    let planes = frame + stride * format.height
    for index in 0..<down.count {
      let place = output + index &* rowStep
      switch format.pixelFormat {
      case .yuyv, .uyvy:
        sumRows(frame, stride, down, index, into: 0, count: chromaWidth &* 4)
        let luma = format.pixelFormat == .yuyv ? 0 : 1
        writeYUV(
          channel(luma, step: 2), channel(1 &- luma, step: 4), channel(3 &- luma, step: 4),
          conversion, to: place, step: columnStep)
      case .nv12, .nv21:
        sumRows(frame, stride, down, index, into: 0, count: width)
        sumRows(
          planes, format.chromaBytesPerLine, chromaDown, index, into: width,
          count: chromaWidth &* 2)
        let first = format.pixelFormat == .nv12 ? width : width &+ 1
        writeYUV(
          channel(0, step: 1), channel(first, step: 2),
          channel(2 &* width &+ 1 &- first, step: 2), conversion, to: place, step: columnStep)
      case .i420:
        let chromaStride = format.chromaBytesPerLine
        let second = planes + chromaStride * format.chromaHeight
        sumRows(frame, stride, down, index, into: 0, count: width)
        sumRows(planes, chromaStride, chromaDown, index, into: width, count: chromaWidth)
        sumRows(
          second, chromaStride, chromaDown, index, into: width &+ chromaWidth, count: chromaWidth)
        writeYUV(
          channel(0, step: 1), channel(width, step: 1), channel(width &+ chromaWidth, step: 1),
          conversion, to: place, step: columnStep)
      case .grey:
        sumRows(frame, stride, down, index, into: 0, count: width)
        writeGrey(channel(0, step: 1), conversion, to: place, step: columnStep)
      case .rgb24, .bgr24:
        sumRows(frame, stride, down, index, into: 0, count: width &* 3)
        let red = format.pixelFormat == .rgb24 ? 0 : 2
        writeRGB(
          channel(red, step: 3), channel(1, step: 3), channel(2 &- red, step: 3),
          to: place, step: columnStep)
      }
    }
  }

  func channel(_ offset: Int, step: Int) -> Channel {
    Channel(start: UnsafePointer(row + offset), step: step)
  }

  /// The weighted mean of the rows of one plane that output row `index` covers, times 256.
  /// - Parameters:
  ///   - offset: where the plane's part of the row begins.
  ///   - count: bytes of a row of the plane.
  func sumRows(
    _ plane: UnsafeRawPointer, _ stride: Int, _ table: TapTable, _ index: Int, into offset: Int,
    count: Int
  ) {
    let taps = table.taps[index]
    let row = row + offset
    let sums = sums + offset
    let weights = table.weights + Int(taps.weights)
    let first = (plane + Int(taps.first) &* stride).assumingMemoryBound(to: UInt8.self)
    let tapCount = Int(taps.count)
    if tapCount == 1 {
      for byte in 0..<count { row[byte] = UInt16(first[byte]) &<< 8 }
      return
    }
    // 15 fractional bits, of which 8 stay: half of what is cut off is added first.
    for byte in 0..<count { sums[byte] = 64 &+ UInt32(weights[0]) &* UInt32(first[byte]) }
    var line = first + stride
    for tap in 1..<tapCount &- 1 {
      let weight = UInt32(weights[tap])
      for byte in 0..<count { sums[byte] &+= weight &* UInt32(line[byte]) }
      line += stride
    }
    let weight = UInt32(weights[tapCount &- 1])
    for byte in 0..<count {
      row[byte] = UInt16(truncatingIfNeeded: (sums[byte] &+ weight &* UInt32(line[byte])) &>> 7)
    }
  }

  /// The weighted mean of a channel's samples that go into one pixel, times 256.
  @inline(__always)
  func mean(_ channel: Channel, _ table: TapTable, _ index: Int) -> Int32 {
    let taps = table.taps[index]
    let weights = table.weights + Int(taps.weights)
    var sample = channel.start + Int(taps.first) &* channel.step
    // At most 65280 * 2^15 + 2^14: 31 bits.
    var sum: UInt32 = 1 << 14
    for tap in 0..<Int(taps.count) {
      sum &+= UInt32(weights[tap]) &* UInt32(sample.pointee)
      sample += channel.step
    }
    return Int32(truncatingIfNeeded: sum &>> 15)
  }

  func writeYUV(
    _ y: Channel, _ u: Channel, _ v: Channel, _ conversion: YUVToRGB,
    to output: UnsafeMutablePointer<Int8>, step: Int
  ) {
    var place = output
    for index in 0..<across.count {
      let (r, g, b) = conversion.rgb(
        mean(y, across, index), mean(u, chromaAcross, index), mean(v, chromaAcross, index))
      place[0] = quantized(r)
      place[1] = quantized(g)
      place[2] = quantized(b)
      place += step
    }
  }

  func writeGrey(
    _ y: Channel, _ conversion: YUVToRGB, to output: UnsafeMutablePointer<Int8>, step: Int
  ) {
    var place = output
    for index in 0..<across.count {
      let grey = quantized(conversion.grey(mean(y, across, index)))
      place[0] = grey
      place[1] = grey
      place[2] = grey
      place += step
    }
  }

  func writeRGB(
    _ r: Channel, _ g: Channel, _ b: Channel, to output: UnsafeMutablePointer<Int8>, step: Int
  ) {
    var place = output
    for index in 0..<across.count {
      place[0] = quantized(rounded(mean(r, across, index)))
      place[1] = quantized(rounded(mean(g, across, index)))
      place[2] = quantized(rounded(mean(b, across, index)))
      place += step
    }
  }
}
