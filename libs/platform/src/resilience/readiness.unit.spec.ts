import { answering, askReadiness, useful, type Readiness } from './readiness';

const all =
  (checks: Awaited<ReturnType<Readiness>>): Readiness =>
  () =>
    Promise.resolve(checks);

it.each<[string, Readiness, 200 | 503, string]>([
  ['all is there', all({ database: true, redis: true }), 200, 'ready'],
  ['nothing is used', all({}), 200, 'ready'],
  ['something useful is missing', all({ database: true, redis: 'degraded' }), 200, 'degraded'],
  ['something needed is missing', all({ database: false, redis: 'degraded' }), 503, 'not_ready'],
  ['a check fails', () => Promise.reject(new Error('down')), 503, 'not_ready'],
  ['a check hangs', () => new Promise<never>(() => undefined), 503, 'not_ready'],
])('where %s', async (what, readiness, httpStatus, status) => {
  const answer = await askReadiness(readiness);
  expect(answer).toMatchObject({ httpStatus, body: { status } });
  if (!/fails|hangs/.test(what)) expect(answer.body.checks).toEqual(await readiness());
});

it('has a result for what a process can do without', async () => {
  expect([useful(true), useful(false)]).toEqual([true, 'degraded']);
  expect(await answering(Promise.resolve(true), 60_000)).toBe(true);
  expect(await answering(Promise.resolve(false), 60_000)).toBe('degraded');
  expect(await answering(Promise.reject(new Error('gone')), 60_000)).toBe('degraded');
  expect(await answering(new Promise(() => undefined), 1)).toBe('degraded');
});
