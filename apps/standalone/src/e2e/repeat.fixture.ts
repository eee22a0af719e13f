import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@evenkeel/platform/testing';
import type { PaidRequest } from './paid-request.fixture';
import { send, type Answer } from './send.fixture';

/** An abandoned payment is taken over after 15 s and looked up on the chain 5 s later; the rest is for a busy machine. */
const WITHIN_MS = 60_000;
const PAUSE_MS = 300;

/** Sends the identical request until the answer is the expected one, as a client without an answer does. */
export function repeatUntil(
  url: string,
  request: PaidRequest,
  isExpected: (answer: Answer) => boolean,
): Promise<Answer> {
  return eventually(
    async () => {
      const answer = await send(url, request);
      if (isExpected(answer)) return answer;
      await sleep(PAUSE_MS);
      throw new Error(`still ${answer.status}: ${answer.text}`);
    },
    { withinMs: WITHIN_MS },
  );
}
