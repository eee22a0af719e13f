import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { Accounts } from '../accounts.fixture';
import { somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';
import { Follower } from './sync.fixture';

let accounts: Accounts;
let people: { of: HabitsOf; habitId: string }[];
beforeAll(async () => {
  accounts = await Accounts.start();
  people = [];
  for (let count = 0; count < 5; count++) {
    const of = await somebody(accounts);
    people.push({ of, habitId: (await of.habit()).id });
  }
});
afterAll(() => accounts.close());

const dayOf = (index: number) => `2026-01-${String((index % 28) + 1).padStart(2, '0')}T08:00:00Z`;

it('stores the logs of many people that come at once, and says of each what became of it', async () => {
  const sent = Array.from({ length: 60 }, (_, index) => {
    const { of, habitId } = people[index % people.length]!;
    const clientId = randomUUID();
    return { of, habitId, clientId, occurredAt: dayOf(index), note: `note ${index}` };
  });
  const asked = sent.flatMap(({ of, habitId, ...log }) => [of.log(habitId, log), of.log(habitId, log)]);
  const strange = people.map(({ of }, index) => of.log(people[(index + 1) % people.length]!.habitId));
  const unknown = people[0]!.of.log(UNKNOWN_ID);
  const replies = await Promise.all(asked);
  sent.forEach(({ note, habitId }, index) => {
    const [one, other] = [replies[2 * index]!, replies[2 * index + 1]!];
    expect([one.status, other.status].sort()).toEqual([200, 201]);
    expect(one.body).toEqual(other.body);
    expect(one.body).toMatchObject({ note, habitId });
  });
  expect((await Promise.all([...strange, unknown])).map(({ status }) => status)).toEqual(Array(6).fill(404));
  for (const { of } of people) {
    const follower = new Follower(of, 7);
    await follower.catchUp();
    expect(follower.logs.size).toBe(12);
    expect(new Set(follower.seen).size).toBe(follower.seen.length);
  }
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});

it('lets nobody wait for somebody else whose row is locked', async () => {
  const [ana, ben] = people as [(typeof people)[0], (typeof people)[0]];
  const tx = accounts.database.dataSource.createQueryRunner();
  await tx.startTransaction();
  await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [ana.of.person.id]);
  let isAnswered = false;
  const waiting = ana.of.log(ana.habitId).finally(() => (isAnswered = true));
  const answered = await Promise.all([ben.of.log(ben.habitId), ben.of.log(ben.habitId)]);
  expect(answered.map(({ status }) => status)).toEqual([201, 201]);
  expect(isAnswered).toBe(false);
  await tx.commitTransaction();
  await tx.release();
  expect((await waiting).status).toBe(201);
});

it('keeps to the 50 logs of a day, also among those of one batch', async () => {
  const of = await somebody(accounts);
  const { id: habitId } = await of.habit();
  for (let n = 0; n < 45; n++) await of.log(habitId);
  const days = ['2026-01-31', '2026-01-30'].map((day) => `${day}T08:00:00Z`);
  const logs = Array.from({ length: 12 }, (_, n) => ({ habitId, status: 'COMPLETED', occurredAt: days[n % 2] }));
  const { body } = await of.ask('POST', '/logs/batch', { logs });
  const statuses = (body.results as { status: string }[]).map(({ status }) => status);
  expect(statuses).toEqual([...Array(10).fill('created'), 'rejected', 'created']);
});
