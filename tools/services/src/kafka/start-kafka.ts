import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService, ensureProgram, type Program } from '../ensure-program';
import { freePort } from '../free-port';
import { logToOperator, type OperatorLog } from '../operator-log';
import { type RestartableServer, startRestartable } from '../restartable-server';
import type { ServerCommand } from '../server-process';
import { untilBrokerAnswers } from './ask-broker';
import { BROKER_MACHINE, BROKER_READY, type KafkaLogin, kafkaProperties } from './broker';
import { kafkaDistribution, type KafkaDistribution } from './kafka-distribution';

const JAVA: Program = {
  name: 'java',
  debianPackage: 'default-jre-headless',
  purpose: 'Java 17, or set KAFKA_BROKERS to a Kafka of your own',
};

const OLDEST = 17;

interface KafkaOptions {
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** The port that it gives to clients, if a proxy is in between. Default: `port`. */
  advertisedPort?: number;
  /** A second listener, with TLS and a login by SASL PLAIN. */
  secured?: {
    /** Private key and certificate, PEM, one after the other. */
    keystore: string;
    login: KafkaLogin;
  };
  /** Default: standard error. */
  log?: OperatorLog;
}

export interface RunningKafka extends RestartableServer {
  /** Host and port, as clients take them. */
  brokers: string;
  /** The same of the second listener. */
  securedBrokers?: string;
}

const ANSWER_LIMIT_MS = 20_000;

/**
 * Starts an Apache Kafka of one node, without topics. The first start of a machine fetches it. It stops with `stop`,
 * and also when this process ends without calling it; killed or stopped by a test it keeps what it has acknowledged.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const log = options.log ?? logToOperator;
  const program = await ensureJava(log);
  const distribution = await kafkaDistribution(program, log);
  const port = options.port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-kafka-'));
  const data = join(folder, 'data');
  cpSync(distribution.formatted, data, { recursive: true });
  const properties = join(folder, 'server.properties');
  const secured = options.secured && { ...options.secured, port: await freePort() };
  if (secured) {
    const keystore = join(folder, 'keystore.pem');
    writeFileSync(keystore, secured.keystore, { mode: 0o600 });
    secured.keystore = keystore;
  }
  const { advertisedPort } = options;
  const controllerPort = await freePort();
  writeFileSync(properties, kafkaProperties({ data, port, controllerPort, advertisedPort, secured }));

  const server = await startRestartable(kafkaCommand(program, distribution, properties), folder, () =>
    untilBrokerAnswers(port, ANSWER_LIMIT_MS),
  ).catch((error: unknown) => {
    throw new CannotStartService(`Kafka did not start on port ${port}: ${(error as Error).message}.`, { cause: error });
  });
  return Object.assign(server, {
    brokers: `127.0.0.1:${port}`,
    ...(secured && { securedBrokers: `127.0.0.1:${secured.port}` }),
  });
}

function kafkaCommand(
  program: string,
  { classPath, classes }: KafkaDistribution,
  properties: string,
): Pick<ServerCommand, 'program' | 'args' | 'readyLine'> {
  const args = [...BROKER_MACHINE, ...classes, '-cp', classPath, 'kafka.Kafka', properties];
  return { program, args, readyLine: BROKER_READY };
}

/**
 * @returns path of a Java that can run Kafka 4
 * @throws CannotStartService with what to do
 */
async function ensureJava(log: OperatorLog): Promise<string> {
  const java = await ensureProgram(JAVA, log);
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (major >= OLDEST) return java;
  throw new CannotStartService(
    `Kafka needs Java ${OLDEST} or newer, and ${java} says: ${stderr.trim().split('\n')[0]}. ` +
      'Put a newer one first on the PATH, or set KAFKA_BROKERS to a Kafka of your own.',
  );
}
