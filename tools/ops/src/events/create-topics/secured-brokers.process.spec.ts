import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { STREAMS } from '@evenkeel/contracts';
import { BrokerConfig, loadConfig } from '@evenkeel/platform/config';
import { openTransport } from '@evenkeel/platform/messaging';
import { CERTIFICATE, PRIVATE_KEY, startKafka, type RunningKafka } from '@evenkeel/services';
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ConfigResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { parseAllDocuments } from 'yaml';
import { runCreateTopics } from './create-topics';

const LOGIN = { username: 'evenkeel', password: 'a-password-of-the-test' };
/** Has the rights that k8s/examples gives to the service of this name. */
const GUEST = 'accounts';
const silent = { warn: () => undefined, error: () => undefined };

class Settings extends BrokerConfig {}

let kafka: RunningKafka;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  kafka = await startKafka({
    secured: { keystore: PRIVATE_KEY + CERTIFICATE, login: LOGIN, guest: GUEST },
    log: () => undefined,
  });
  folder = mkdtempSync(join(tmpdir(), 'authority-'));
  writeFileSync(join(folder, 'authority.pem'), CERTIFICATE);
  env = {
    KAFKA_BROKERS: kafka.securedBrokers!,
    KAFKA_TLS: 'on',
    KAFKA_CA_FILE: join(folder, 'authority.pem'),
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: LOGIN.username,
    KAFKA_SASL_PASSWORD: LOGIN.password,
  };
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await kafka.stop();
});

async function run(settings: Record<string, string>): Promise<{ code: number; said: string }> {
  let said = '';
  const streams = { out: (text: string) => void (said += text), err: (text: string) => void (said += text) };
  const code = await runCreateTopics([], settings, streams);
  return { code, said };
}

/** Names of the settings that a topic has of its own. */
async function ownSettingsOf(topic: string): Promise<string[]> {
  const admin = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const asked = [{ type: ConfigResourceTypes.TOPIC, name: topic }];
    const { resources } = await admin.describeConfigs({ resources: asked, includeSynonyms: false });
    return resources[0]!.configEntries.filter(({ isDefault }) => !isDefault).map(({ configName }) => configName);
  } finally {
    await admin.disconnect();
  }
}

it('asks for as many copies as the settings say: one broker cannot hold three', async () => {
  const { code, said } = await run({ ...env, TOPIC_REPLICAS: '3' });
  expect([code, said]).toEqual([1, expect.stringMatching(/replication/i)]);
}, 60_000);

it('topics are made and events go through brokers that ask for TLS and a login', async () => {
  const { code, said } = await run({ ...env, TOPIC_REPLICAS: '1', TOPIC_MIN_INSYNC_REPLICAS: '1' });
  expect([code, said]).toEqual([0, expect.stringContaining(`created  ${STREAMS[0]!.topic}`)]);
  expect(await ownSettingsOf(STREAMS[0]!.topic)).toEqual(
    expect.arrayContaining(['min.insync.replicas', 'retention.ms']),
  );

  const transport = openTransport({ access: loadConfig(Settings, env).kafka, clientId: 'test', log: silent });
  try {
    const arrived = new Promise<string>((resolve) => {
      transport.subscribe('test', [STREAMS[0]!.topic], async ({ messages }) => resolve(messages[0]!.value));
    });
    await transport.publish([{ topic: STREAMS[0]!.topic, key: 'a', value: '{"sent":true}', headers: {} }]);
    expect(await arrived).toBe('{"sent":true}');
  } finally {
    await transport.close();
  }
}, 60_000);

interface KafkaUser {
  metadata: { name: string };
  spec: {
    authorization: {
      acls: { resource: { type: string; name: string; patternType: string }; operations: string[] }[];
    };
  };
}

function rightsOf(user: string): AclEntry[] {
  const file = join(__dirname, '../../../../../k8s/examples/backing/kafka-users.yaml');
  const users = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as KafkaUser);
  const { acls } = users.find(({ metadata }) => metadata.name === user)!.spec.authorization;
  return acls.flatMap(({ resource: { type, name, patternType }, operations }) =>
    operations.map((operation) => ({
      principal: `User:${user}`,
      host: '*',
      resourceType: type === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourceName: name,
      resourcePatternType: patternType === 'prefix' ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      operation: AclOperationTypes[operation.toUpperCase() as 'READ'],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

it('the rights of k8s/examples are enough to publish, read, put dead letters away, replay them, and rebuild', async () => {
  const admin = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createAcls({ acl: rightsOf(GUEST) }).finally(() => admin.disconnect());
  const access = loadConfig(Settings, { ...env, KAFKA_SASL_USERNAME: GUEST }).kafka;
  const transport = openTransport({ access, clientId: 'guest', log: silent });
  const message = (topic: string) => ({ topic, key: 'a', value: '{}', headers: {} });
  const [read, deadLetters] = ['evenkeel.subscriptions.v1', 'evenkeel.subscriptions.v1.dlq'];
  try {
    await transport.publish([message('evenkeel.accounts.v1'), message(deadLetters)]);
    const reader = transport.subscribe(GUEST, [read], () => Promise.resolve());
    await transport.positions(GUEST, read);
    await reader.stop();
    let replayed = 0;
    const drained = transport.drain(`${GUEST}.replay`, deadLetters, async ({ messages }) => {
      replayed += messages.length;
    });
    await Promise.race([drained, sleep(20_000, undefined, { ref: false })]);
    expect(replayed).toBe(1);
    await transport.rewind(`${GUEST}.replay`);
  } finally {
    transport.endWithin(0);
    await transport.close();
  }
}, 120_000);

it('a wrong password is a sentence, without the password', async () => {
  const wrong = await run({ ...env, KAFKA_SASL_PASSWORD: 'not-the-password' });
  expect(wrong.code).toBe(1);
  expect(wrong.said).toMatch(/did not do it: .*[Aa]uthentication/);
  expect(wrong.said).not.toContain('not-the-password');
}, 60_000);

it('a password is not sent readable', async () => {
  const { said } = await run({ ...env, KAFKA_TLS: 'off' });
  expect(said).toContain('KAFKA_SASL_MECHANISM must not be plain without KAFKA_TLS=on');
});
