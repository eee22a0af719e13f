/** How much time a search takes: seconds; up to a minute; minutes and gigabytes. */
export const SIZES = ['quick', 'usual', 'large'] as const;
export type Size = (typeof SIZES)[number];

/** One exhaustive search of the model. */
export interface Configuration {
  name: string;
  /** Which of the two models in docs/model. */
  model: 'payment' | 'bound';
  /** What is switched how; docs/model/README.md says what each name means. */
  switches: Readonly<Record<string, number>>;
  /** `fails`: with this the model must find a counterexample, or it could not find any. */
  expected: 'holds' | 'fails';
  size: Size;
}
