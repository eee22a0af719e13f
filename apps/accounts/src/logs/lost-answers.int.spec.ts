import { randomUUID } from 'node:crypto';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { somebody } from '../habits/habits.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };

it.each<[string, string, (habitId: string) => object]>([
  ['a habit', '', () => ({ name: 'Swim' })],
  ['a log', '/:id/logs', () => LOG],
  ['a batch', '/logs/batch', (habitId) => ({ logs: [{ habitId, ...LOG }] })],
])(
  '%s that was stored and answered with 503 is answered, and stored once, under its Idempotency-Key',
  async (...of) => {
    const [kind, path, bodyOf] = of;
    const line = await DatabaseLine.to(accounts.database.url);
    const broken = await Accounts.start({ DATABASE_URL: line.url });
    try {
      const eve = await somebody(broken, { email: `${kind.replace(' ', '-')}-stored@example.com` });
      const { id } = await eve.habit();
      const headers = { 'idempotency-key': randomUUID() };
      const send = () => eve.ask('POST', path.replace(':id', id), bodyOf(id), headers);
      const stored = async () => {
        const { habits, logs } = (await eve.ask('GET', '/changes')).body as { habits: unknown[]; logs: unknown[] };
        return habits.length + logs.length;
      };
      line.lose({ statement: 'COMMIT', loss: 'unanswered' });
      expect((await send()).status).toBe(503);
      expect(await stored()).toBe(2);
      const answered = await send();
      expect(answered).toMatchObject(
        kind === 'a batch' ? { status: 200, body: { results: [{ status: 'created' }] } } : { status: 201 },
      );
      expect(await send()).toMatchObject({ status: answered.status, text: answered.text });
      expect(await stored()).toBe(2);
    } finally {
      await broken.close();
      line.cut();
    }
  },
);
