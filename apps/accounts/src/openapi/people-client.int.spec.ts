import { peopleClient } from '@evenkeel/client';
import { Accounts } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

it('the typed client signs in, logs and asks', async () => {
  let token: string | null = null;
  const people = peopleClient({ baseUrl: accounts.running.url, accessToken: () => token });
  expect((await people.GET('/v1/auth/me')).error).toMatchObject({ error: 'unauthorized' });

  const body = { email: 'ana@example.com', password: 'seven quiet otters' };
  const { data: signedIn } = await people.POST('/v1/auth/register', { body });
  token = signedIn!.accessToken;
  const { data: habit } = await people.POST('/v1/habits', { body: { name: 'Morning run' } });
  const params = { path: { habitId: habit!.id } };
  const log = { occurredAt: '2026-01-31T07:30:00Z', status: 'COMPLETED' } as const;
  const { data: logged } = await people.POST('/v1/habits/{habitId}/logs', { params, body: log });
  expect(logged!.localDate).toBe('2026-01-31');
  const { data: analysis } = await people.POST('/v1/habits/analyze', { body: {} });
  expect(analysis!.habits.map((one) => one.habit)).toEqual(['Morning run']);
});
