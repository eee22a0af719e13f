import { ReadyAnswer } from '@evenkeel/platform/http';
import { sent, type Answer } from '../calls/answer';

/** A result as it goes over the wire: in one piece with its headers, which is one write to the socket. */
export function resultText(answer: Answer): ReadyAnswer {
  const { status, headers, body } = sent(answer);
  return new ReadyAnswer(status, headers, body.toString('latin1'));
}
