import { AccountsConfig } from '../accounts.config';
import { BreachedPasswords } from './breached-passwords';
import { Passwords } from './passwords';

class NoList extends BreachedPasswords {
  override async has(): Promise<boolean> {
    return false;
  }
}

function passwordsOf(over: Partial<AccountsConfig> = {}): Passwords {
  const smallest = { ARGON2_MEMORY_KIB: 8, ARGON2_PASSES: 1, ARGON2_LANES: 1 };
  return new Passwords(Object.assign(new AccountsConfig(), smallest, over), new NoList());
}

it('hashes two at a time, lets 20 wait, and refuses more', async () => {
  const passwords = passwordsOf();
  const stored = await passwords.hashOf('secret');
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => passwords.matches('secret', stored)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as object] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ kind: 'rate_limited', details: { scope: 'concurrency' } });
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(22);
  expect(await passwords.matches('secret', stored)).toBe(true);
});

it('goes on after a hash that cannot be read', async () => {
  const passwords = passwordsOf();
  const broken = Array.from({ length: 3 }, () => passwords.matches('secret', 'nonsense'));
  expect((await Promise.allSettled(broken)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(await passwords.matches('secret', await passwords.hashOf('secret'))).toBe(true);
});
