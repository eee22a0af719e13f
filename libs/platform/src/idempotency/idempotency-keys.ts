import { DomainError, type ErrorKind } from '@evenkeel/kernel';
import { randomUUID } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

const KEPT = `interval '24 hours'`;
/** Longer than any request may take: then the process that ran it is gone. */
const RUN = `interval '60 seconds'`;
const SLICE = 5_000;
const IS_KEY = 'owner = $1 AND method = $2 AND path = $3 AND key = $4';

/** The scope of a key: another user, method or path may use the same key for something else. */
export interface KeyScope {
  owner: string;
  method: string;
  path: string;
  key: string;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  status: number;
  /** JSON text; empty without a body. */
  body: string;
  /** Of a refusal: its kind, for the one table from kind to status. */
  refusal?: ErrorKind;
}

type Begun =
  /** This request does the work; `operationId` is the same whenever the work is begun again after a crash. */
  { as: 'first'; operationId: string; run: string } | { as: 'repeat'; answer: KeptAnswer };

/** The key came before with another body. */
class IdempotencyKeyReused extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'idempotency_key_reused';
  constructor() {
    super('This Idempotency-Key belongs to a request with another body.');
  }
}

/** The request with this key has not been answered yet. */
class IdempotencyInProgress extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'idempotency_in_progress';
  override readonly retryAfterSeconds = 1;
  constructor() {
    super('The request with this Idempotency-Key is still running. Wait and repeat.');
  }
}

interface KeyRow {
  body_hash: Buffer;
  status: number | null;
  body: string | null;
  refusal: ErrorKind | null;
}

/**
 * The keys of requests that may come again, in a table: whichever process gets the repetition knows the answer. Time is that
 * of the database, the same for all of them.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws IdempotencyKeyReused, IdempotencyInProgress */
  async begin(scope: KeyScope, bodyHash: Buffer): Promise<Begun> {
    const run = randomUUID();
    const [first] = await this.dataSource.query<{ operation_id: string }[]>(BEGIN, [...of(scope), bodyHash, run]);
    if (first) return { as: 'first', operationId: first.operation_id, run };
    const known = `SELECT body_hash, status, body, refusal FROM idempotency_keys WHERE ${IS_KEY}`;
    const [row] = await this.dataSource.query<KeyRow[]>(known, of(scope));
    if (row && !row.body_hash.equals(bodyHash)) throw new IdempotencyKeyReused();
    // No row any more: it has just been erased, after its day.
    if (!row || row.status === null) throw new IdempotencyInProgress();
    const { status, body, refusal } = row;
    return { as: 'repeat', answer: { status, body: body ?? '', ...(refusal && { refusal }) } };
  }

  /** Keeps the answer of a run, unless another run has taken its place. */
  async keep(scope: KeyScope, run: string, { status, body, refusal = undefined }: KeptAnswer): Promise<void> {
    await this.dataSource.query(
      `UPDATE idempotency_keys SET status = $6, body = $7, refusal = $8 WHERE ${IS_KEY} AND run = $5`,
      [...of(scope), run, status, body, refusal ?? null],
    );
  }

  /** Ends a run without an answer to keep: the next request does the work again, as the same operation. */
  async release(scope: KeyScope, run: string): Promise<void> {
    const ended = `UPDATE idempotency_keys SET run_at = '-infinity' WHERE ${IS_KEY} AND run = $5`;
    await this.dataSource.query(ended, [...of(scope), run]);
  }

  /**
   * Deletes the answers that name a deleted record, so that no repeat gets them. A request that comes once more does its work
   * again, as the same operation, and finds the record gone.
   * @param tx deletes the record
   */
  async forget(tx: EntityManager, owner: string, id: string): Promise<void> {
    await tx.query(
      `UPDATE idempotency_keys SET status = NULL, body = NULL, refusal = NULL, run_at = '-infinity'
       WHERE owner = $1 AND status IS NOT NULL AND position($2 IN body) > 0`,
      [owner, id.toLowerCase()],
    );
  }

  /** @returns whether there may be more */
  async eraseExpired(): Promise<boolean> {
    const [, erased] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_keys WHERE begun_at < now() - ${KEPT} LIMIT ${SLICE}))`,
    );
    return erased === SLICE;
  }
}

/** For the modules whose controllers have `@Idempotent()` handlers, and for the worker that erases old keys. */
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}

/**
 * A new key, one whose time is over, or the same request again whose run has ended without an answer: that keeps its operation. In all other
 * cases no row comes back.
 */
const BEGIN = `
  INSERT INTO idempotency_keys AS k (owner, method, path, key, body_hash, run, operation_id, begun_at, run_at)
  VALUES ($1, $2, $3, $4, $5, $6, $6, now(), now())
  ON CONFLICT (owner, method, path, key) DO UPDATE SET
    operation_id = CASE WHEN k.begun_at < now() - ${KEPT} THEN excluded.operation_id ELSE k.operation_id END,
    begun_at = CASE WHEN k.begun_at < now() - ${KEPT} THEN excluded.begun_at ELSE k.begun_at END,
    run = excluded.run, run_at = excluded.run_at, body_hash = excluded.body_hash,
    status = NULL, body = NULL, refusal = NULL
  WHERE k.begun_at < now() - ${KEPT}
    OR (k.status IS NULL AND k.run_at < now() - ${RUN} AND k.body_hash = excluded.body_hash)
  RETURNING operation_id`;

function of({ owner, method, path, key }: KeyScope): string[] {
  return [owner, method, path, key];
}

/**
 * For the migration of an app.
 * @param owners table of those who send requests: their keys go with them; without one they stay for their day
 */
export async function createIdempotencyKeys(runner: QueryRunner, owners?: string): Promise<void> {
  await runner.query(`
    CREATE TABLE idempotency_keys (
      owner uuid NOT NULL ${owners === undefined ? '' : `REFERENCES ${owners} ON DELETE CASCADE`},
      method text NOT NULL,
      path text NOT NULL,
      key text NOT NULL,
      body_hash bytea NOT NULL,
      run uuid NOT NULL,
      operation_id uuid NOT NULL,
      begun_at timestamptz NOT NULL,
      run_at timestamptz NOT NULL,
      status smallint,
      body text,
      refusal text,
      PRIMARY KEY (owner, method, path, key),
      CHECK ((status IS NULL) = (body IS NULL))
    )`);
  await runner.query(`CREATE INDEX idempotency_keys_by_age ON idempotency_keys (begun_at)`);
}

export async function dropIdempotencyKeys(runner: QueryRunner): Promise<void> {
  await runner.query(`DROP TABLE idempotency_keys`);
}
