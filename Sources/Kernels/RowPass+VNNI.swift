extension RowForm {
  static var vnni: RowForm { .avx2 }
  static var wideVNNI: RowForm? { .wideAVX2 }
}
