/** Numbers that look random and are the same for ever: a linear congruential generator (Numerical Recipes). */
export class Chance {
  constructor(private state: number) {}

  /** 0 to below 1. */
  ratio(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }

  /** 0 to below `count`. */
  upTo(count: number): number {
    return Math.floor(this.ratio() * count);
  }

  oneOf<Value>(values: readonly Value[]): Value {
    return values[this.upTo(values.length)]!;
  }

  /** Absent in about half of the cases. */
  maybe<Value>(make: () => Value): Value | undefined {
    return this.ratio() < 0.5 ? make() : undefined;
  }
}
