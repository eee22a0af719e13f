import { eventually } from './eventually';

describe('eventually', () => {
  it('returns what the check returns once it stops throwing', async () => {
    let calls = 0;
    const check = () => {
      if (++calls < 3) throw new Error('not yet');
      return calls;
    };
    expect(await eventually(check)).toBe(3);
  });

  it('takes false for not yet', async () => {
    let calls = 0;
    await eventually(() => ++calls === 3);
    expect(calls).toBe(3);
  });

  it('throws the last error at the deadline', async () => {
    await expect(eventually(() => Promise.reject(new Error('never')), { withinMs: 50 })).rejects.toThrow('never');
  });
});
