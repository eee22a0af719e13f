import { answering, askReadiness, useful } from './readiness';

it.each([
  [{ database: true, redis: true }, 200, 'ready'],
  [{}, 200, 'ready'],
  [{ database: true, redis: 'degraded' }, 200, 'degraded'],
  [{ database: false, redis: 'degraded' }, 503, 'not_ready'],
] as const)('the answer about %j is %i, %s', async (checks, status, word) => {
  const answer = await askReadiness(() => Promise.resolve(checks));
  expect(answer).toEqual({ status, body: { status: word, checks } });
});

it('has a result for what a process can do without', async () => {
  expect([useful(true), useful(false)]).toEqual([true, 'degraded']);
  expect(await answering(Promise.resolve(true), 60_000)).toBe(true);
  expect(await answering(Promise.resolve(false), 60_000)).toBe('degraded');
  expect(await answering(Promise.reject(new Error('gone')), 60_000)).toBe('degraded');
  expect(await answering(new Promise(() => undefined), 1)).toBe('degraded');
});
