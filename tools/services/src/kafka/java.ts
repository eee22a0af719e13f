import { spawnSync } from 'node:child_process';
import { CannotStartService } from '../cannot-start-service';
import { ensureProgram, type Program } from '../ensure-program';
import type { OperatorLog } from '../operator-log';

const JAVA: Program = {
  name: 'java',
  debianPackage: 'default-jre-headless',
  purpose: 'Java 17, or set KAFKA_BROKERS to a Kafka of your own',
};
const OLDEST = 17;

/**
 * @returns path of a Java that can run Kafka 4
 * @throws CannotStartService with what to do
 */
export async function ensureJava(log: OperatorLog): Promise<string> {
  const java = await ensureProgram(JAVA, log);
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (major >= OLDEST) return java;
  throw new CannotStartService(
    `Kafka needs Java ${OLDEST} or newer, and ${java} says: ${stderr.trim().split('\n')[0]}. ` +
      'Put a newer one first on the PATH, or set KAFKA_BROKERS to a Kafka of your own.',
  );
}
