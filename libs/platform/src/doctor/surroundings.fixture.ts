import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLetterTopic, STREAMS } from '@evenkeel/contracts';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import { Kafka, logLevel } from 'kafkajs';
import { es256KeysOf, jwksOf, newEs256Key } from '../config/keys/es256-keys';
import { makeTopics } from '../messaging/kafka/kafka-client';
import { mint } from '../persistence/persistence.fixture';
import { freePort } from '@evenkeel/services/free-port';
import { CERTIFICATE, createTestDatabase, PRIVATE_KEY, type TestDatabase } from '../testing';

const LOGIN = { username: 'evenkeel', password: 'a-password-of-the-test' };
export const [PAYMENTS, SUBSCRIPTIONS, ACCOUNTS] = STREAMS.map(({ topic }) => topic) as [string, string, string];

/** The real servers that a service uses, and settings that lead to them. */
export class Surroundings {
  private readonly closing: (() => void)[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  private keys!: Server;
  /** Where nothing listens. */
  closedPort!: number;
  /** Everything works with these. */
  good!: Record<'DATABASE_URL' | 'REDIS_URL' | 'KAFKA_BROKERS' | 'JWKS_URL', string>;

  private constructor(
    private readonly database: TestDatabase,
    private readonly otherDatabase: TestDatabase,
    readonly redis: RunningRedis,
    readonly kafka: RunningKafka,
  ) {}

  static async start(): Promise<Surroundings> {
    const silent = { log: () => undefined };
    const servers = await Promise.all([
      createTestDatabase(mint),
      createTestDatabase(mint),
      startRedis(silent),
      startKafka({ secured: { keystore: PRIVATE_KEY + CERTIFICATE, login: LOGIN }, ...silent }),
    ]);
    const surroundings = new Surroundings(...servers);
    await surroundings.prepare();
    return surroundings;
  }

  /** Where keys are behind a certificate that nobody knows. */
  get httpsKeys(): string {
    return `https://127.0.0.1:${(this.keys.address() as AddressInfo).port}/keys`;
  }

  /** The settings of the listener with TLS and a login. */
  secured(more: Record<string, string> = {}): Record<string, string> {
    return {
      ...{ KAFKA_BROKERS: this.kafka.securedBrokers!, KAFKA_TLS: 'on', KAFKA_CA_FILE: this.file('authority.pem') },
      ...{ KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: LOGIN.username, KAFKA_SASL_PASSWORD: LOGIN.password },
      ...more,
    };
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** The address of the database with a part of it changed. */
  databaseUrl(part: Partial<Pick<URL, 'hostname' | 'port' | 'password' | 'pathname' | 'search'>>): string {
    return Object.assign(new URL(this.good.DATABASE_URL), part).href;
  }

  /** A database that says it has this migration, beside or in place of its own. */
  async withMigration(name: string, alone = false): Promise<string> {
    const { dataSource, url } = this.otherDatabase;
    const others = alone ? '' : `WHERE name NOT LIKE 'CreateCoins%'`;
    await dataSource.query(`DELETE FROM migrations ${others}`);
    await dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (1, $1)`, [name]);
    return url;
  }

  /** Serves a document over plain HTTP. @returns its address */
  async serves(body: string, status = 200): Promise<string> {
    const server = createPlainServer((_request, response) => response.writeHead(status).end(body));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.closing.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  }

  async stop(): Promise<void> {
    rmSync(this.folder, { recursive: true });
    this.keys.close();
    for (const close of this.closing) close();
    const databases = [this.database.drop(), this.otherDatabase.drop()];
    await Promise.all([...databases, this.redis.stop(), this.kafka.stop()]);
  }

  private async prepare(): Promise<void> {
    writeFileSync(this.file('authority.pem'), CERTIFICATE);
    await this.makeTopics();
    this.closedPort = await freePort();
    const body = JSON.stringify(jwksOf(es256KeysOf(newEs256Key('one'))));
    this.keys = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_request, response) => response.end(body));
    this.keys.listen(0, '127.0.0.1');
    await once(this.keys, 'listening');
    const { database, redis, kafka } = this;
    this.good = {
      ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, KAFKA_BROKERS: kafka.brokers },
      JWKS_URL: await this.serves(body),
    };
  }

  /** Those of the gateway as they should be, of the others with one thing wrong each. */
  private async makeTopics(): Promise<void> {
    const admin = new Kafka({ brokers: [this.kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const numbers = { [PAYMENTS]: 12, [ACCOUNTS]: 3, [deadLetterTopic(SUBSCRIPTIONS)]: 12, [SUBSCRIPTIONS]: 12 };
    const topics = Object.entries(numbers).map(([topic, numPartitions]) => ({ topic, numPartitions }));
    await makeTopics(admin, topics);
    await admin.disconnect();
  }
}
