/** An event whose predecessor has not arrived. */
export class SequenceGap extends Error {
  override readonly name = 'SequenceGap';

  constructor(expected: number, arrived: number) {
    super(`number ${expected} of the aggregate is missing: ${arrived} arrived`);
  }
}
