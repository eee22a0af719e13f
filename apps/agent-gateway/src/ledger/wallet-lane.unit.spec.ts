import { eventually } from '@evenkeel/platform/testing';
import { Deadline, DeadlineExceeded } from '../calls/deadline';
import { WalletLane } from './ledger-pool';

const locked = () => Promise.reject(Object.assign(new Error('locked'), { code: '55P03' }));

/** An attempt that ends when the test ends it. */
function aHeldAttempt(begun: string[], name: string) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const attempt = async () => {
    begun.push(name);
    await ended;
    return name;
  };
  return { attempt, end };
}

describe('WalletLane', () => {
  it('works for two wallets at once, one row of each, and gives the wallets their turns', async () => {
    const lane = new WalletLane();
    const begun: string[] = [];
    const rows = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ({ name, ...aHeldAttempt(begun, name) }));
    const results = rows.map(({ name, attempt }) => lane.run(name[0]!, attempt));
    await eventually(() => expect(begun).toEqual(['a1', 'b1']));
    rows[0]!.end();
    await eventually(() => expect(begun).toEqual(['a1', 'b1', 'c1']));
    for (const { end } of rows) end();
    expect(await Promise.all(results)).toEqual(rows.map(({ name }) => name));
    expect(['a', 'b', 'c'].some((wallet) => lane.has(wallet))).toBe(false);
  });

  it('tries again until there is no lock any more', async () => {
    let attempts = 0;
    const lane = new WalletLane();
    const attempt = () => (++attempts < 3 ? locked() : Promise.resolve('written'));
    await expect(lane.run('a', attempt)).resolves.toBe('written');
    expect(attempts).toBe(3);
  });

  it('begins nothing that would come too late', async () => {
    const attempt = jest.fn(locked);
    const lane = new WalletLane();
    await expect(lane.run('a', attempt, new Deadline(300))).rejects.toThrow(DeadlineExceeded);
    expect(attempt).not.toHaveBeenCalled();
  });

  it('passes on any other error at once', async () => {
    const lane = new WalletLane();
    await expect(lane.run('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(lane.has('a')).toBe(false);
  });
});
