import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { median } from '../compare/compare';
import { Connection } from '@evenkeel/rehearse/connection';
import type { Child } from '../processes/child';
import { PASSWORD, type AccountsStage, type BenchPerson } from './accounts-stage';

export const CONNECTIONS = 16;

interface Question {
  method: string;
  path: string;
  token?: string;
  body?: object;
}

/** A request as bytes. */
export function bytesOf({ method, path, token, body }: Question): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Keeps 16 connections busy. @returns calls a second */
export async function rateOf(url: string, seconds: number, status: number, next: () => Buffer): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));
  const started = performance.now();
  let calls = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() - started < seconds * 1_000) {
        const reply = await connection.rawRequest(next());
        if (reply.status !== status)
          throw new Error(`answered ${reply.status}: ${reply.body.toString().slice(0, 300)}`);
        calls++;
      }
    }),
  );
  for (const connection of connections) connection.close();
  return calls / ((performance.now() - started) / 1_000);
}

/** The same row as a log, by `pg` alone, 16 at a time. @returns rows a second */
export async function bareInserts(databaseUrl: string, next: () => BenchPerson, seconds: number): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const text = `
    INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, created_at, change_number)
    VALUES ($1, gen_random_uuid(), $2, now(), $3, 'COMPLETED', 1, now(), 1)`;
  const started = performance.now();
  let rows = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - started < seconds * 1_000) {
        const { id, habitId } = next();
        await pool.query({ name: 'bare-insert', text, values: [id, habitId, dayAt(rows++)] });
      }
    }),
  );
  await pool.end();
  return rows / ((performance.now() - started) / 1_000);
}

/** A day of its own for each of a few thousand logs: a habit has at most 50 a day. */
export function dayAt(index: number): string {
  return new Date(Date.UTC(2001, 0, 1 + (index % 8_000))).toISOString().slice(0, 10);
}

/** One after the other, on one connection. @returns milliseconds of each */
export async function timesOf(url: string, request: () => Buffer, count: number): Promise<number[]> {
  const connection = await Connection.open(url);
  const times: number[] = [];
  for (let asked = 0; asked < count; asked++) times.push(await timeOf(connection, request()));
  connection.close();
  return times;
}

/** @param expected status; a success unless given. @returns milliseconds */
async function timeOf(connection: Connection, request: Buffer, expected?: number): Promise<number> {
  const started = performance.now();
  const { status, body } = await connection.rawRequest(request);
  const time = performance.now() - started;
  if (expected === undefined ? status >= 300 : status !== expected) {
    throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
  }
  return time;
}

export function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)]!;
}

/** The 99th percentiles, in milliseconds, of what somebody waits for. */
export interface BesideLogins {
  besideLoginsMeP99Ms: number;
  besideLoginsListP99Ms: number;
  besideLoginsLogP99Ms: number;
  besideLoginsAnalyzeP99Ms: number;
  loginsPerSecond: number;
}

/** What somebody waits for, with one request after the other, while somebody else signs in so often each second. */
export async function besideLogins(
  { app }: AccountsStage,
  { waiting: { token, habitId }, signingIn: { email } }: Record<'waiting' | 'signingIn', BenchPerson>,
  perSecond: number,
  seconds: number,
): Promise<BesideLogins> {
  let logs = 0;
  const requests = {
    Me: () => bytesOf({ method: 'GET', path: '/v1/auth/me', token }),
    List: () => bytesOf({ method: 'GET', path: '/v1/habits', token }),
    Log: () => logOf({ token, habitId }, logs++),
    Analyze: () => bytesOf({ method: 'POST', path: '/v1/habits/analyze', token, body: {} }),
  };
  const names = Object.keys(requests) as (keyof typeof requests)[];
  const times: Record<keyof typeof requests, number[]> = { Me: [], List: [], Log: [], Analyze: [] };
  const login = bytesOf({ method: 'POST', path: '/v1/auth/login', body: { email, password: PASSWORD } });
  const started = performance.now();
  const isOver = (): boolean => performance.now() - started >= seconds * 1_000;
  let logins = 0;
  const wait = async (): Promise<void> => {
    const connection = await Connection.open(app.url);
    while (!isOver()) for (const name of names) times[name].push(await timeOf(connection, requests[name]()));
    connection.close();
  };
  const signIn = async (place: number, of: number): Promise<void> => {
    const connection = await Connection.open(app.url);
    while (!isOver()) {
      const dueMs = ((logins + place / of) / perSecond) * 1_000;
      await sleep(Math.max(0, dueMs - (performance.now() - started)));
      const { status } = await connection.rawRequest(login);
      if (status === 200) logins++;
    }
    connection.close();
  };
  await Promise.all([wait(), ...Array.from({ length: 4 }, (_, place) => signIn(place, 4))]);
  return {
    besideLoginsMeP99Ms: quantile(times.Me, 0.99),
    besideLoginsListP99Ms: quantile(times.List, 0.99),
    besideLoginsLogP99Ms: quantile(times.Log, 0.99),
    besideLoginsAnalyzeP99Ms: quantile(times.Analyze, 0.99),
    loginsPerSecond: logins / seconds,
  };
}

/** A log of a day of its own, as far as there are days. */
export function logOf({ token, habitId }: Pick<BenchPerson, 'token' | 'habitId'>, index: number): Buffer {
  const body = { occurredAt: `${dayAt(index)}T08:00:00Z`, status: 'COMPLETED' };
  return bytesOf({ method: 'POST', path: `/v1/habits/${habitId}/logs`, token, body });
}

/**
 * Median time of a wrong password for a known address, over that for an unknown one: so many of each, in turns, and each as
 * often first.
 */
export async function knownOverUnknown({ app }: AccountsStage, person: BenchPerson, count: number): Promise<number> {
  const wrong = (email: string): Buffer =>
    bytesOf({ method: 'POST', path: '/v1/auth/login', body: { email, password: 'wrong' } });
  const connection = await Connection.open(app.url);
  const known: number[] = [];
  const unknown: number[] = [];
  const askKnown = async () => known.push(await timeOf(connection, wrong(person.email), 401));
  const askUnknown = async () => unknown.push(await timeOf(connection, wrong('nobody@example.com'), 401));
  for (let turn = 0; turn < count; turn++) {
    for (const ask of turn % 2 === 0 ? [askUnknown, askKnown] : [askKnown, askUnknown]) await ask();
  }
  connection.close();
  return median(known) / median(unknown);
}

/** So many logs as CSV, by the form that people send. @returns seconds */
export async function importSeconds(
  { app }: AccountsStage,
  token: string,
  logs: number,
  name: string,
): Promise<number> {
  const lines = Array.from({ length: logs }, (_, index) => `${name} ${index % 25},${dayAt(Math.floor(index / 25))},1`);
  const form = new FormData();
  form.append('file', new Blob([`habit,date,value\n${lines.join('\n')}\n`]), 'habits.csv');
  const started = performance.now();
  const response = await fetch(`${app.url}/v1/habits/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  const text = await response.text();
  if (response.status !== 200 || (JSON.parse(text) as { logs: { created: number } }).logs.created !== logs) {
    throw new Error(`the import was answered with ${response.status}: ${text.slice(0, 300)}`);
  }
  return (performance.now() - started) / 1_000;
}

/** Resident memory in MB; null where there is no /proc. */
export async function residentMb(app: Child): Promise<number | null> {
  try {
    const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  } catch {
    return null;
  }
}
