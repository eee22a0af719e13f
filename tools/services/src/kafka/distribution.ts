import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder } from '../cache-folder';
import {
  CannotStartService,
  ensureProgram,
  environment,
  type OperatorLog,
  type Program,
  runInstaller,
} from '../ensure-program';

const MAVEN: Program = {
  name: 'mvn',
  debianPackage: 'maven',
  purpose: 'Apache Maven 3, or set KAFKA_BROKERS to a Kafka of your own',
};
const POM = join(__dirname, '../../kafka/pom.xml');

/**
 * Apache Kafka from Maven's repository, fetched once.
 * @param properties of a broker with its data in a folder
 * @returns the classes, for `java -cp`, and a data folder that no broker has used yet, to copy: making one costs a second of Java
 */
export async function kafkaDistribution(java: string, properties: (data: string) => string, log: OperatorLog) {
  const folder = await keptFolder('kafka', [POM], async (unfinished) => {
    await fetchJars(unfinished, log);
    // What is written depends on the node and the cluster, not on ports and folders.
    const [data, file] = [join(unfinished, 'formatted'), join(unfinished, 'format.properties')];
    mkdirSync(data);
    writeFileSync(file, properties(data));
    const cluster = randomBytes(16).toString('base64url');
    const args = ['-cp', join(unfinished, 'lib/*'), 'kafka.tools.StorageTool', 'format', '-t', cluster, '-c', file];
    const { status, stdout, stderr } = spawnSync(java, args, { encoding: 'utf8' });
    if (status !== 0) throw new CannotStartService(`Kafka could not make a data folder:\n${stdout}${stderr}`);
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
