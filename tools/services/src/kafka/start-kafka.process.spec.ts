import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { startKafka, type RunningKafka } from '../index';

// Java starts in seconds, beside whatever else the machine does; its first start of all fetches it.
jest.setTimeout(180_000);

const TOPIC = 'evenkeel.payments.v1';

let kafka: RunningKafka;
beforeAll(async () => {
  kafka = await startKafka();
});
afterAll(() => kafka?.stop());

function aClient(): Kafka {
  return new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING, retry: { retries: 8 } });
}

async function makeTopic(): Promise<void> {
  const admin = aClient().admin();
  await admin.connect();
  // The broker may hear of the topic a moment later, which kafkajs takes for final here; a producer tries again.
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 1 }], waitForLeaders: false });
  await admin.disconnect();
}

async function send(value: string): Promise<void> {
  const producer = aClient().producer({ idempotent: true, allowAutoTopicCreation: false });
  await producer.connect();
  await producer.send({ topic: TOPIC, acks: -1, messages: [{ key: 'wallet', value }] });
  await producer.disconnect();
}

async function offset(): Promise<number> {
  const admin = aClient().admin();
  await admin.connect();
  const [partition] = await admin.fetchTopicOffsets(TOPIC);
  await admin.disconnect();
  return Number(partition!.high);
}

describe('startKafka', () => {
  it('keeps what it has acknowledged through a kill and a start on the same port', async () => {
    await makeTopic();
    await send('first');
    const { pid, brokers } = kafka;
    await kafka.kill();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await kafka.restart();
    expect(kafka.brokers).toBe(brokers);
    expect(await offset()).toBe(1);
    await send('second');
    expect(await offset()).toBe(2);
  });

  it('starts with the classes of an earlier start', () => {
    expect(readFileSync(`/proc/${kafka.pid}/maps`, 'utf8')).toContain('/classes.jsa');
  });

  it('makes no topic by accident', async () => {
    const producer = aClient().producer({ retry: { retries: 1 } });
    await producer.connect();
    const sent = producer.send({ topic: 'mistyped', messages: [{ value: 'lost' }] });
    await expect(sent).rejects.toThrow('does not host this topic-partition');
    await producer.disconnect();
  });

  it('answers nothing while it is frozen, and what was asked after', async () => {
    kafka.freeze();
    const sent = send('third');
    const soon = new Promise((resolve) => setTimeout(resolve, 200, 'no answer'));
    expect(await Promise.race([sent, soon])).toBe('no answer');
    kafka.thaw();
    await sent;
  });

  it('leaves nothing behind', async () => {
    const folder = dirname(lastArgument(kafka.pid));
    expect(existsSync(folder)).toBe(true);
    await kafka.stop();
    expect(existsSync(folder)).toBe(false);
  });
});

function lastArgument(pid: number): string {
  const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return command.trim().split(' ').at(-1)!;
}
