import { ensureProgram } from '../ensure-program';
import { sayToOperator, type Say } from '../say';

/**
 * A Kafka client that shares no code with ours, for looking at what we have sent.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureKcat(say: Say = sayToOperator): Promise<string> {
  return ensureProgram({ name: 'kcat', debianPackage: 'kcat', purpose: 'kcat 1.7' }, say);
}
