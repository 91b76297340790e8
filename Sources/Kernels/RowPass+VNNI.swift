extension RowForm {
  static var vnni: RowForm { .avx2 }
}
