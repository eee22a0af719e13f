import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder } from '../cache-folder';
import {
  CannotStartService,
  ensureProgram,
  environment,
  logToOperator,
  type OperatorLog,
  type Program,
  runInstaller,
} from '../ensure-program';
import { kafkaProperties } from './broker';

export interface KafkaDistribution {
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

/** Apache Kafka from Maven's repository, fetched once. */
export async function kafkaDistribution(java: string, log: OperatorLog): Promise<KafkaDistribution> {
  const folder = await keptFolder('kafka', [POM], async (unfinished) => {
    await fetchJars(unfinished, log);
    format(java, unfinished);
  });
  return { classPath: join(folder, 'lib/*'), formatted: join(folder, 'formatted') };
}

/** With a repository of its own: Maven does not expect two at once in the one of the user. */
async function fetchJars(folder: string, log: OperatorLog): Promise<void> {
  const program = await ensureProgram(MAVEN, log);
  const repository = `${folder}/repository`;
  const options = ['--batch-mode', '--strict-checksums', `--file=${POM}`, `-Dmaven.repo.local=${repository}`];
  const args = [...options, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}/lib`];
  const what = 'Fetching Apache Kafka with Maven, once (64 MB), or set KAFKA_BROKERS';
  await runInstaller(what, MAVEN.purpose, { program, args, env: environment() }, log);
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
