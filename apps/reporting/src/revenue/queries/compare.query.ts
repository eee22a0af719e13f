import { ApiQuery } from '@nestjs/swagger';
import { knownWord } from './known-word';

const WORDS = ['previous'] as const;

/**
 * Whether the same figures of the days before are asked for.
 * @throws ValidationFailed
 */
export function readCompare(text: unknown): boolean {
  return knownWord('compare', text, WORDS) === 'previous';
}

export function CompareQuery(): MethodDecorator {
  const description = 'adds `previous`: the same figures of as many days right before';
  return ApiQuery({ name: 'compare', required: false, enum: WORDS, description });
}
