import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { ensureProgram, type Program, logToOperator, type OperatorLog } from '../ensure-program';
import { freePort } from '../free-port';
import { type RestartableServer, startRestartable } from '../restartable-server';
import { kafkaDistribution } from './distribution';

const JAVA: Program = {
  name: 'java',
  debianPackage: 'default-jre-headless',
  purpose: 'Java 17, or set KAFKA_BROKERS to a Kafka of your own',
};
const LOGGER = '-Dorg.slf4j.simpleLogger';
/** They favour a quick start over peak speed: no second compiler, no threads for collecting. */
const MACHINE = [
  '-Xmx256m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  `${LOGGER}.defaultLogLevel=warn`,
  `${LOGGER}.log.kafka.server.KafkaRaftServer=info`,
];

interface KafkaOptions {
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** The port that it gives to clients, if a proxy is in between. Default: `port`. */
  advertisedPort?: number;
  /** A second listener, with TLS and a login by SASL PLAIN: private key and certificate, PEM, one after the other. */
  secured?: {
    keystore: string;
    /** May do everything. */
    login: { username: string; password: string };
    /** With the same password: may do what rights say that are given to it. */
    guest?: string;
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

/**
 * Starts an Apache Kafka of one node, without topics. The first start of a machine fetches it. Killed or stopped by a test it keeps
 * what it has acknowledged.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const { secured, log = logToOperator } = options;
  const program = await ensureProgram(JAVA, log);
  const ports = [1, 2, 3] as const;
  const { classPath, formatted } = await kafkaDistribution(program, (data) => propertiesOf(data, ports, {}), log);
  const port = options.port ?? (await freePort());
  const [controllerPort, securedPort] = [await freePort(), await freePort()];
  const command = (folder: string) => {
    const data = join(folder, 'data');
    cpSync(formatted, data, { recursive: true });
    if (secured) writeFileSync(keystoreBeside(data), secured.keystore, { mode: 0o600 });
    const properties = join(folder, 'server.properties');
    writeFileSync(properties, propertiesOf(data, [port, controllerPort, securedPort], options));
    return {
      program,
      args: [...MACHINE, '-cp', classPath, 'kafka.Kafka', properties],
      readyLine: 'Kafka Server started',
    };
  };
  const brokers = `127.0.0.1:${port}`;
  const server = await startRestartable('Kafka', command, () => untilBrokerAnswers(brokers));
  return { ...server, brokers, ...(secured && { securedBrokers: `127.0.0.1:${securedPort}` }) };
}

function keystoreBeside(data: string): string {
  return join(data, '../keystore.pem');
}

/** One node that is broker and controller. Topics come from our set-up command, never by accident. */
function propertiesOf(
  data: string,
  [port, controllerPort, securedPort]: readonly [number, number, number],
  { advertisedPort = port, secured }: KafkaOptions,
): string {
  const own = secured ? `,SECURED://127.0.0.1:${securedPort}` : '';
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${port}${own},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertisedPort}${own}`,
    ...(secured && securedListener(keystoreBeside(data), secured)),
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
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}

function securedListener(keystore: string, { login, guest }: NonNullable<KafkaOptions['secured']>) {
  const { username, password } = login;
  const users = [username, ...(guest === undefined ? [] : [guest])].map((name) => `user_${name}="${password}"`);
  const logins = `required username="${username}" password="${password}" ${users.join(' ')};`;
  return {
    ...(guest !== undefined && {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // Of the listeners without a login, too.
      'super.users': `User:ANONYMOUS;User:${username}`,
    }),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.secured.ssl.keystore.type': 'PEM',
    'listener.name.secured.ssl.keystore.location': keystore,
    'listener.name.secured.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule ${logins}`,
  };
}

/** Until clients can begin, which is a moment after it says that it has started. */
async function untilBrokerAnswers(broker: string): Promise<void> {
  const retry = { initialRetryTime: 50, maxRetryTime: 500, retries: 60 };
  const admin = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING, retry }).admin();
  try {
    await admin.connect();
    await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}
