import type { Answer } from '../payments/answers';

/** What happens on the wire: an answer, perhaps late; a text sent as JSON though it is none; silence; a broken connection. */
export type Reply =
  | { kind: 'answer'; answer: Answer; delayMs?: number }
  | { kind: 'text'; text: string }
  | { kind: 'hang' }
  | { kind: 'reset' };

export function reply(answer: Answer, delayMs?: number): Reply {
  return { kind: 'answer', answer, delayMs };
}
