import { DEAD_LETTER_HEADERS, deadLetterTopic } from '@evenkeel/contracts';
import { redacted } from '../../config';
import type { EventMessage, ReceivedMessage } from '../cloud-events';

const H = DEAD_LETTER_HEADERS;
const REASON_LENGTH = 500;

/** The message as it was, with where it failed and why. */
export function deadLetterOf(
  { topic, partition, offset, key, headers, value }: ReceivedMessage,
  consumer: string,
  reason: string,
): EventMessage {
  const failure = {
    [H.consumer]: consumer,
    [H.topic]: topic,
    [H.partition]: String(partition),
    [H.offset]: offset,
    [H.error]: reason,
  };
  return { topic: deadLetterTopic(topic), key, headers: { ...headers, ...failure }, value };
}

/** The message before it failed; null when another consumer gave it up. */
export function originalOf({ headers, ...letter }: ReceivedMessage, consumer: string): ReceivedMessage | null {
  const {
    [H.consumer]: failedIn,
    [H.topic]: topic,
    [H.partition]: partition,
    [H.offset]: offset,
    [H.error]: _,
    ...own
  } = headers;
  if (failedIn !== consumer || topic === undefined) return null;
  return { ...letter, topic, partition: Number(partition), offset: offset ?? letter.offset, headers: own };
}

/** Name and sentence of an error, for operators: no stack, no data, no secret of the settings. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return redacted(text).slice(0, REASON_LENGTH);
}
