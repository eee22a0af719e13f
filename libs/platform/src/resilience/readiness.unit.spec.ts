import { answering, useful } from './readiness';

it('has a result for what a process can do without', async () => {
  expect([useful(true), useful(false)]).toEqual([true, 'degraded']);
  expect(await answering(Promise.resolve(true), 60_000)).toBe(true);
  expect(await answering(Promise.resolve(false), 60_000)).toBe('degraded');
  expect(await answering(Promise.reject(new Error('gone')), 60_000)).toBe('degraded');
  expect(await answering(new Promise(() => undefined), 1)).toBe('degraded');
});
