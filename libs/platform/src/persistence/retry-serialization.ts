import { setTimeout as sleep } from 'node:timers/promises';

const RETRIES = 3;
const BASE_MS = 20;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

/**
 * Runs a whole transaction, again when PostgreSQL gave it up for another (deadlock, serialization failure): at most
 * three times more, after a random wait that doubles. Any other error passes through at once.
 */
export async function retrySerialization<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === RETRIES || !isSerializationFailure(error)) throw error;
      await sleep(Math.random() * BASE_MS * 2 ** attempt);
    }
  }
}

/** pg throws the error itself, TypeORM wraps it. */
function isSerializationFailure(error: unknown): boolean {
  const thrown = error as { code?: string; driverError?: { code?: string } } | null | undefined;
  const code = (thrown?.driverError ?? thrown)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}
