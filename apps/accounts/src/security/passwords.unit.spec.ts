import { AccountsConfig } from '../accounts.config';
import { CommonPasswords } from './breached-passwords';
import { Passwords } from './passwords';

const SMALLEST = { ARGON2_MEMORY_KIB: 8, ARGON2_PASSES: 1, ARGON2_LANES: 1 };

it('hashes two at a time, lets 20 wait, refuses more, and goes on after a hash that cannot be read', async () => {
  const passwords = new Passwords(Object.assign(new AccountsConfig(), SMALLEST), new CommonPasswords());
  const stored = await passwords.hashOf('secret');
  const broken = Array.from({ length: 3 }, () => passwords.matches('secret', 'nonsense'));
  expect((await Promise.allSettled(broken)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => passwords.matches('secret', stored)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as object] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ kind: 'rate_limited', details: { scope: 'concurrency' } });
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(22);
});
