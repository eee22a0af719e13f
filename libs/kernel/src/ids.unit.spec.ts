import { uuidv7 } from './ids';

const at = new Date('2026-01-31T12:00:00.123Z');

it('an identifier has its version, its variant and its instant, sorts by time and does not repeat', () => {
  const id = uuidv7(at);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at.getTime());
  expect(uuidv7(at) < uuidv7(new Date(at.getTime() + 1))).toBe(true);
  expect(new Set(Array.from({ length: 1_000 }, () => uuidv7(at))).size).toBe(1_000);
});
