import { pointAfterKey } from './chart.panel';

it.each([
  ['ArrowRight', 10, 11],
  ['ArrowLeft', 10, 9],
  ['PageUp', 10, 17],
  ['PageDown', 10, 3],
  ['Home', 10, 0],
  ['End', 10, 29],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', 29, 29],
  ['PageDown', 3, 0],
  ['Tab', 10, undefined],
])('%s on point %i of 30 leads to %p', (key, index, next) => expect(pointAfterKey(key, index, 30, 7)).toBe(next));
