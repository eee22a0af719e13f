import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '../../testing';
import { boxesDatabase, silent } from '../messaging.fixture';
import { transportContract } from '../transport-contract.fixture';
import { InProcessBroker } from './in-process-broker';

let database: TestDatabase;
let broker: InProcessBroker;
beforeAll(async () => {
  database = await boxesDatabase();
  broker = new InProcessBroker(silent);
});
afterAll(async () => {
  await broker.close();
  await database.drop();
});

const newTopic = async (): Promise<string> => {
  const topic = `test.${randomUUID()}.v1`;
  broker.keep(topic, database.dataSource);
  return topic;
};

describe('the in-process broker', () => {
  transportContract(() => ({ transport: broker, newTopic }));

  it('has nothing to read of a topic whose owner does not run', async () => {
    expect(await broker.positions('following', `test.${randomUUID()}.v1`)).toEqual([]);
  });
});
