extension RowForm {
  static var dotProduct: RowForm { .neon }
}
