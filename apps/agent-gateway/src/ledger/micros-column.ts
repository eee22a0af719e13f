import { readMicros } from '@evenkeel/kernel';
import type { ColumnOptions, ValueTransformer } from 'typeorm';

/** pg reads `bigint` as text, because not every value of it is a number. Money here always is one. */
const microsTransformer: ValueTransformer = {
  to: (micros: number | null | undefined) => micros,
  from: (stored: string | null) => (stored === null ? null : readMicros(stored)),
};

/**
 * Options of a column of micro-USD: `@Column(microsColumn({ name: 'price_micros' })) priceMicros!: number`.
 * Statements outside the entity get text and read it with `readMicros`.
 */
export function microsColumn(options: ColumnOptions = {}): ColumnOptions {
  return { ...options, type: 'bigint', transformer: microsTransformer };
}
