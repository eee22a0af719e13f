import type { Reply } from '@evenkeel/platform/testing/service';

const PROMISED_MS = 3_000;
/** Three times what is promised: the machine of a test has other work. */
const LATEST_MS = 9_000;

interface Try {
  reply: Reply;
  tookMs: number;
}

/** The provider tries again and again, at least three times. */
export async function triesFor(ms: number, send: () => Promise<Reply>): Promise<Try[]> {
  const begun = performance.now();
  const tries: Try[] = [];
  while (tries.length < 3 || performance.now() - begun < ms) {
    const asked = performance.now();
    const reply = await send();
    tries.push({ reply, tookMs: performance.now() - asked });
  }
  return tries;
}

/** Each is told to come again: most within what is promised, all of them soon. */
export function expectInTime(tries: readonly Try[]): void {
  for (const { reply, tookMs } of tries) {
    const { status, body, headers } = reply;
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    expect(tookMs).toBeLessThan(LATEST_MS);
  }
  const times = tries.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  expect(times[times.length >> 1]).toBeLessThan(PROMISED_MS);
}
