import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedFolder } from '../cache-folder';
import { CannotStartService, ensureProgram, type Program } from '../ensure-program';
import { logToOperator, type OperatorLog } from '../operator-log';
import { kafkaProperties } from './start-kafka';

interface KafkaDistribution {
  /** For `java -cp`. */
  classPath: string;
  /** A data folder that no broker has used yet, to copy: making one costs a second of Java. */
  formatted: string;
}

const MAVEN: Program = {
  name: 'mvn',
  debianPackage: 'maven',
  purpose: 'Apache Maven 3, or set KAFKA_BROKERS to a Kafka of your own',
};

const POM = join(__dirname, '../../kafka/pom.xml');
const LAST_LINES = 15;

/** Apache Kafka from Maven's repository, fetched once. */
export async function kafkaDistribution(java: string, log: OperatorLog): Promise<KafkaDistribution> {
  const version = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12);
  const folder = await cachedFolder(`kafka-${version}`, async (unfinished) => {
    await fetchJars(unfinished, log);
    format(java, unfinished);
  });
  return { classPath: join(folder, 'lib/*'), formatted: join(folder, 'formatted') };
}

/** With a repository of its own: Maven does not expect two at once in the one of the user. */
async function fetchJars(folder: string, log: OperatorLog): Promise<void> {
  const maven = await ensureProgram(MAVEN, log);
  log('Fetching Apache Kafka with Maven, once: 64 MB with what Maven itself needs.');
  const repository = `${folder}/repository`;
  const args = ['--batch-mode', '--strict-checksums', `--file=${POM}`, `-Dmaven.repo.local=${repository}`];
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}/lib`];
  const child = spawn(maven, [...args, ...goal], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let fetched = 0;
  const note = (line: string): void => {
    if (/Downloaded from .*\.jar /.test(line) && ++fetched % 20 === 0) log(`Fetched ${fetched} files…`);
    if (lines.push(line) > LAST_LINES) lines.shift();
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', note);
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) {
    throw new CannotStartService(
      `Maven could not fetch Apache Kafka. Let it reach a repository, or set KAFKA_BROKERS:\n${lines.join('\n')}`,
    );
  }
  rmSync(repository, { recursive: true, force: true });
}

/** What is written depends on the node and the cluster, not on ports and places. */
function format(java: string, folder: string): void {
  const data = join(folder, 'formatted');
  mkdirSync(data);
  const properties = join(folder, 'format.properties');
  writeFileSync(properties, kafkaProperties({ data, port: 1, controllerPort: 2 }));
  const cluster = randomBytes(16).toString('base64url');
  const args = ['-cp', join(folder, 'lib/*'), 'kafka.tools.StorageTool', 'format', '-t', cluster, '-c', properties];
  const { status, stdout, stderr } = spawnSync(java, args, { encoding: 'utf8' });
  if (status !== 0) throw new CannotStartService(`Kafka could not make a data folder:\n${stdout}${stderr}`);
}

/**
 * A Kafka client that shares no code with ours, for looking at what we have sent.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureKcat(log: OperatorLog = logToOperator): Promise<string> {
  return ensureProgram({ name: 'kcat', debianPackage: 'kcat', purpose: 'kcat 1.7' }, log);
}
