import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '@evenkeel/contracts';

interface WorkedExample {
  request: object;
  result: object;
}

/** Requests and results as the decisions about the interface write them out; the order of members counts. */
export function workedExample(operation: Operation): WorkedExample {
  return JSON.parse(readFileSync(join(__dirname, 'worked-examples', `${operation}.json`), 'utf8')) as WorkedExample;
}
