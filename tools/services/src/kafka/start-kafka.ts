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
import { BROKER_MACHINE, BROKER_READY, kafkaDistribution, type KafkaDistribution } from './kafka-distribution';

interface KafkaPlaces {
  data: string;
  port: number;
  controllerPort: number;
  advertisedPort?: number;
  secured?: { port: number; keystore: string; login: KafkaLogin };
}

export interface KafkaLogin {
  username: string;
  password: string;
}

const JAVA: Program = {
  name: 'java',
  debianPackage: 'default-jre-headless',
  purpose: 'Java 17, or set KAFKA_BROKERS to a Kafka of your own',
};

const OLDEST = 17;

export interface KafkaOptions {
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** What it tells its clients, for one with something in between. Default: `port`. */
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

/** One node that is broker and controller. Topics come from our set-up command, never by accident. */
export function kafkaProperties({ data, port, controllerPort, advertisedPort, secured }: KafkaPlaces): string {
  const listenerOn = (plain: number): string =>
    `PLAINTEXT://127.0.0.1:${plain}${secured ? `,SECURED://127.0.0.1:${secured.port}` : ''}`;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `${listenerOn(port)},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': listenerOn(advertisedPort ?? port),
    ...(secured && securedListener(secured)),
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // A broker that was killed is let in again when its session of before is over.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    // A record each half second, for followers that there are none of, is a third of what an idle broker does.
    'metadata.max.idle.interval.ms': 10_000,
    // A group of tests is complete when its first member is there.
    'group.initial.rebalance.delay.ms': 0,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function securedListener({ keystore, login: { username, password } }: NonNullable<KafkaPlaces['secured']>) {
  const login = `required username="${username}" password="${password}" user_${username}="${password}";`;
  return {
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.secured.ssl.keystore.type': 'PEM',
    'listener.name.secured.ssl.keystore.location': keystore,
    'listener.name.secured.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule ${login}`,
  };
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
