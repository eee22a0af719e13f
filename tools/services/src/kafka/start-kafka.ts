import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { ensureProgram, type Program, logToOperator, type OperatorLog } from '../ensure-program';
import { freePort } from '../free-port';
import { type RestartableServer, startRestartable } from '../restartable-server';
import { BROKER_MACHINE, BROKER_READY, type KafkaLogin, kafkaProperties } from './broker';
import { kafkaDistribution } from './kafka-distribution';

const JAVA: Program = {
  name: 'java',
  debianPackage: 'default-jre-headless',
  purpose: 'Java 17, or set KAFKA_BROKERS to a Kafka of your own',
};

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

/**
 * Starts an Apache Kafka of one node, without topics. The first start of a machine fetches it. It stops with `stop`,
 * and also when this process ends without calling it; killed or stopped by a test it keeps what it has acknowledged.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const { advertisedPort, log = logToOperator } = options;
  const program = await ensureProgram(JAVA, log);
  const { classPath, formatted } = await kafkaDistribution(program, log);
  const port = options.port ?? (await freePort());
  const controllerPort = await freePort();
  const secured = options.secured && { ...options.secured, port: await freePort() };
  const command = (folder: string) => {
    const data = join(folder, 'data');
    cpSync(formatted, data, { recursive: true });
    if (secured) {
      const keystore = join(folder, 'keystore.pem');
      writeFileSync(keystore, secured.keystore, { mode: 0o600 });
      secured.keystore = keystore;
    }
    const properties = join(folder, 'server.properties');
    writeFileSync(properties, kafkaProperties({ data, port, controllerPort, advertisedPort, secured }));
    const args = [...BROKER_MACHINE, '-cp', classPath, 'kafka.Kafka', properties];
    return { program, args, readyLine: BROKER_READY };
  };
  const server = await startRestartable('Kafka', command, () => untilBrokerAnswers(`127.0.0.1:${port}`));
  return Object.assign(server, {
    brokers: `127.0.0.1:${port}`,
    ...(secured && { securedBrokers: `127.0.0.1:${secured.port}` }),
  });
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
