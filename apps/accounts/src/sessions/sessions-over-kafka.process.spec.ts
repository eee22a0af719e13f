import { randomUUID } from 'node:crypto';
import { createTopics } from '@evenkeel/platform/operations';
import { openTransport, type EventTransport } from '@evenkeel/platform/messaging';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { OtherService } from './other-service.fixture';

/** Within a second, with the factor for a busy machine. */
const SOON = { withinMs: 3_000 };
/** A reader joins its group at first. */
const JOINED = { withinMs: 30_000 };
const ROUNDS = 5;

const log = { warn: () => undefined, error: () => undefined };

let accounts: Accounts;
let other: OtherService;
let transport: EventTransport;
beforeAll(async () => {
  const brokers = process.env.TEST_KAFKA_BROKERS!;
  await createTopics({ access: { brokers: brokers.split(',') }, log });
  accounts = await Accounts.start({ KAFKA_BROKERS: brokers });
  transport = openTransport({ access: { brokers: brokers.split(',') }, clientId: 'other', log });
  other = await OtherService.start({
    ...{ jwksUrl: `${accounts.running.url}/.well-known/jwks.json`, clock: accounts.clock },
    ...{ transport, name: `other-${randomUUID()}` },
  });
  const first = await accounts.person();
  await logout(first);
  await eventually(async () => expect((await other.me(first.token)).status).toBe(401), JOINED);
});
afterAll(async () => {
  await other.close();
  await transport.close();
  await accounts.close();
});

const logout = ({ token }: Person) => accounts.ask('POST', '/v1/auth/logout', { token });

it(`another service refuses an ended session within a second over Kafka, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const person = await accounts.person();
    expect((await other.me(person.token)).status).toBe(200);
    expect((await logout(person)).status).toBe(204);
    await eventually(async () => expect((await other.me(person.token)).status).toBe(401), SOON);
  }
});
