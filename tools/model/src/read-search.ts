export type Finding = 'holds' | 'fails' | 'unfinished';

export interface Search {
  found: Finding;
  /** As spin writes it: whole, or with an exponent. */
  states: string;
  seconds: string;
}

/** Reads what the searching program of spin says at its end. A search that was cut short proves nothing. */
export function readSearch(output: string): Search {
  const states = /^ *([0-9.e+]+) states, stored/m.exec(output)?.[1] ?? '-';
  const seconds = /elapsed time ([0-9.]+) sec/.exec(output)?.[1] ?? '0';
  const errors = Number(/errors: (\d+)/.exec(output)?.[1] ?? NaN);
  const isWhole = errors === 0 && !/not completed|max search depth too small/.test(output);
  return { found: errors > 0 ? 'fails' : isWhole ? 'holds' : 'unfinished', states, seconds };
}
