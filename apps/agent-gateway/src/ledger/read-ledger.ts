import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Logger } from '@nestjs/common';

/**
 * For free questions: while the database does not answer, neither do we.
 * @throws ServiceUnavailable (503)
 */
export async function readLedger<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    new Logger('ledger').warn({ message: 'the ledger could not be read', error });
    throw new ServiceUnavailable();
  }
}
