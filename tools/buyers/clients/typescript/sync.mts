/** Keeps a habit with the types that openapi-typescript makes of the document, and follows its changes to the end. */
import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

const { SELLER } = process.env as Record<string, string>;

/** The data of an answer; anything else ends the program. */
function data<Data>({ data: given, error }: { data?: Data; error?: unknown }): Data {
  if (given === undefined) throw new Error(`Refused: ${JSON.stringify(error)}`);
  return given;
}

const account = { email: `${randomUUID()}@example.com`, password: 'seven quiet otters' };
const { accessToken } = data(
  await createClient<paths>({ baseUrl: SELLER }).POST('/v1/auth/register', { body: account }),
);
const client = createClient<paths>({ baseUrl: SELLER, headers: { authorization: `Bearer ${accessToken}` } });

const names = { habit: randomUUID(), log: randomUUID() };
const habitBody = { name: 'Morning run', clientId: names.habit, color: '#2e7d32' };
const habit = data(await client.POST('/v1/habits', { body: habitBody }));
const inHabit = { habitId: habit.id };
const done = { occurredAt: new Date().toISOString(), status: 'COMPLETED', clientId: names.log } as const;
const log = data(await client.POST('/v1/habits/{habitId}/logs', { params: { path: inHabit }, body: done }));
const [today] = data(await client.GET('/v1/habits/today')).habits;
if (today?.habit_id !== habit.id) throw new Error(`The habit is not there today: ${JSON.stringify(today)}`);

const path = { ...inHabit, logId: log.id };
const params = { path, header: { 'If-Match': `"${log.updatedAt}"` } };
const change = () => client.PATCH('/v1/habits/{habitId}/logs/{logId}', { params, body: { note: 'fog' } });
if (data(await change()).note !== 'fog') throw new Error('The log is not changed.');
const { error: stale } = await change();
if (stale?.error !== 'precondition_failed') throw new Error(`Changed twice: ${JSON.stringify(stale)}`);

const before = data(await client.GET('/v1/habits/changes'));
if (before.logs[0]?.note !== 'fog') throw new Error(`The change is missing: ${JSON.stringify(before)}`);
await client.DELETE('/v1/habits/{habitId}/logs/{logId}', { params: { path } });
await client.DELETE('/v1/habits/{habitId}', { params: { path: inHabit } });
const query = { cursor: before.next_cursor };
const after = data(await client.GET('/v1/habits/changes', { params: { query } }));
const deleted = after.deleted.map(({ kind, clientId }) => [kind, clientId]);
if (
  JSON.stringify(deleted) !==
  JSON.stringify([
    ['log', names.log],
    ['habit', names.habit],
  ])
) {
  throw new Error(`Something else was deleted: ${JSON.stringify(deleted)}`);
}
console.log(JSON.stringify({ deleted, more: after.more }));
