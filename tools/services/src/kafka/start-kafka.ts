import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService } from '../cannot-start-service';
import { steadyPort } from '../free-port';
import { startRestartable, type RestartableServer } from '../restartable-server';
import { logToOperator, type OperatorLog } from '../operator-log';
import type { ServerCommand } from '../server-process';
import { untilBrokerAnswers } from './ask-broker';
import { ensureJava } from './java';
import { kafkaDistribution } from './kafka-distribution';
import { kafkaProperties } from './kafka-properties';

export interface KafkaOptions {
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** Default: standard error. */
  log?: OperatorLog;
}

export interface RunningKafka extends RestartableServer {
  /** Host and port, as clients take them. */
  brokers: string;
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
  const { classPath, formatted } = await kafkaDistribution(program, log);
  const port = options.port ?? (await steadyPort());
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-kafka-'));
  const data = join(folder, 'data');
  cpSync(formatted, data, { recursive: true });
  const properties = join(folder, 'server.properties');
  writeFileSync(properties, kafkaProperties({ data, port, controllerPort: await steadyPort() }));

  const server = await startRestartable(kafkaCommand(program, classPath, properties), folder, () =>
    untilBrokerAnswers(port, ANSWER_LIMIT_MS),
  ).catch((error: unknown) => {
    throw new CannotStartService(`Kafka did not start on port ${port}: ${(error as Error).message}.`, { cause: error });
  });
  return Object.assign(server, { brokers: `127.0.0.1:${port}` });
}

function kafkaCommand(
  program: string,
  classPath: string,
  properties: string,
): Pick<ServerCommand, 'program' | 'args' | 'readyLine'> {
  // Quick to start rather than quick at its peak: no second compiler, no threads for collecting.
  const machine = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const logger = '-Dorg.slf4j.simpleLogger';
  const logs = [`${logger}.defaultLogLevel=warn`, `${logger}.log.kafka.server.KafkaRaftServer=info`];
  return {
    program,
    args: [...machine, ...logs, '-cp', classPath, 'kafka.Kafka', properties],
    readyLine: 'Kafka Server started',
  };
}
