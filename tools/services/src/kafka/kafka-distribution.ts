import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedFolder } from '../cache-folder';
import { CannotStartService, ensureProgram, type Program } from '../ensure-program';
import { freePort } from '../free-port';
import { logToOperator, type OperatorLog } from '../operator-log';
import { BROKER_MACHINE, BROKER_READY, kafkaProperties } from './broker';

export interface KafkaDistribution {
  /** For `java -cp`. */
  classPath: string;
  /** A data folder that no broker has used yet, to copy: making one costs a second of Java. */
  formatted: string;
  /** For `java`, before the rest: classes as a broker has loaded them before, half of the work of a start. */
  classes: string[];
}

const MAVEN: Program = {
  name: 'mvn',
  debianPackage: 'maven',
  purpose: 'Apache Maven 3, or set KAFKA_BROKERS to a Kafka of your own',
};

const POM = join(__dirname, '../../kafka/pom.xml');
const LAST_LINES = 15;
const CLASSES = 'classes.jsa';
/** Once a machine; seconds where it has nothing else to do. */
const RECORD_LIMIT_MS = 600_000;

/** Apache Kafka from Maven's repository, fetched once. */
export async function kafkaDistribution(java: string, log: OperatorLog): Promise<KafkaDistribution> {
  const version = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12);
  const folder = await cachedFolder(`kafka-${version}`, async (unfinished) => {
    await fetchJars(unfinished, log);
    format(java, unfinished);
  });
  const broker = { java, classPath: join(folder, 'lib/*'), formatted: join(folder, 'formatted') };
  // Of this Java, and of these files where they lie now.
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const key = createHash('sha256')
    .update(stderr)
    .update(BROKER_MACHINE.join())
    .update(folder)
    .digest('hex')
    .slice(0, 12);
  const name = `kafka-${version}-classes-${key}`;
  const recorded = await cachedFolder(name, (unfinished) => record(broker, unfinished)).catch((error: Error) => {
    log(`Kafka starts slower than it could: ${error.message}`);
    return undefined;
  });
  return { ...broker, classes: recorded ? [`-XX:SharedArchiveFile=${join(recorded, CLASSES)}`] : [] };
}

interface BrokerToRecord {
  java: string;
  classPath: string;
  formatted: string;
}

/** By a broker that starts and ends in order. */
async function record({ java, classPath, formatted }: BrokerToRecord, folder: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'evenkeel-kafka-'));
  try {
    const data = join(place, 'data');
    cpSync(formatted, data, { recursive: true });
    const properties = join(place, 'server.properties');
    writeFileSync(properties, kafkaProperties({ data, port: await freePort(), controllerPort: await freePort() }));
    const archive = `-XX:ArchiveClassesAtExit=${join(folder, CLASSES)}`;
    const args = [...BROKER_MACHINE, archive, '-cp', classPath, 'kafka.Kafka', properties];
    const child = spawn(java, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    const limit = setTimeout(() => child.kill('SIGKILL'), RECORD_LIMIT_MS);
    const whenReady = (line: string): void => {
      if (line.includes(BROKER_READY)) child.kill('SIGTERM');
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', whenReady);
    await ended;
    clearTimeout(limit);
    if (!existsSync(join(folder, CLASSES))) throw new Error('this Java has not recorded its classes.');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
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

/** The written files depend on the node and the cluster, not on ports and folders. */
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
