import { ensureProgram } from '../ensure-program';
import { logToOperator, type OperatorLog } from '../operator-log';

/**
 * A Kafka client that shares no code with ours, for looking at what we have sent.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureKcat(log: OperatorLog = logToOperator): Promise<string> {
  return ensureProgram({ name: 'kcat', debianPackage: 'kcat', purpose: 'kcat 1.7' }, log);
}
