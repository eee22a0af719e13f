import { finished, pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { readMicros } from '@evenkeel/platform/persistence';
import { openCsv } from '@evenkeel/platform/validation';
import { Freshness, type FreshnessReading, type Projection } from '@evenkeel/platform/messaging';
import { applyDecorators, Injectable, Logger } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { instantsOf, type Period, windowOf } from './figures/window';
import { checksummed } from './payments/checksummed';

/** An export holds a connection until its reader has all of it. */
const AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 5;

/** How the values of a column are written: amounts exactly, wallets checksummed, instants as ISO 8601. */
const WRITTEN = {
  text: (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value)),
  amount: (value: unknown): string => usdAmount(readMicros(value as string)).usd_exact,
  address: (value: unknown): string => checksummed(value as string),
};

/** Rows that are sent as a file. */
export interface CsvFile {
  /** In the name of the file, and in the log. */
  name: string;
  /** The sources of the rows. */
  projection: Projection;
  /** Its first two values are those of `IS_IN_DAYS`. */
  statement: string;
  /** The values after these two. */
  values?: (now: Date) => readonly unknown[];
  /** By title, in the order of the file; the rows have these names. */
  columns: Readonly<Record<string, keyof typeof WRITTEN>>;
}

/** In SQL, whether an instant is in the days of a file. */
export const IS_IN_DAYS = (instant: string): string => `${instant} >= $1::timestamptz AND ${instant} < $2::timestamptz`;

/** Describes the answer in OpenAPI. */
export function AnswersCsv(): MethodDecorator {
  const description = 'as_of and lag_seconds are in the headers X-As-Of and X-Lag-Seconds';
  return applyDecorators(ApiProduces('text/csv'), ApiOkResponse({ description, schema: { type: 'string' } }));
}

interface CsvExport {
  fileName: string;
  stream: Readable;
  freshness: FreshnessReading;
}

/** All rows of a window as CSV, read from one state of the database while they are sent. */
@Injectable()
export class CsvExports {
  private open = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly freshness: Freshness,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends all rows of a period while they are read.
   * @throws RateLimited when others are at it, ServiceUnavailable, ValidationFailed for a period that ends after today
   */
  async send(request: FastifyRequest, reply: FastifyReply, period: Period, file: CsvFile): Promise<void> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    if (this.open >= AT_ONCE) throw new RateLimited({ scope: 'concurrency' }, RETRY_AFTER_SECONDS);
    this.open++;
    const { name, projection, statement, values = () => [] } = file;
    try {
      const freshness = await this.freshness.read(projection.subscription);
      const asked = [...instantsOf(window), ...values(now)];
      const rows = { statement, values: asked, titles: Object.keys(file.columns), recordOf: recordsOf(file) };
      const stream = await openCsv<Row>(this.dataSource, rows);
      stream.once('close', () => this.open--);
      sendCsv(request, reply, { stream, fileName: `${name}-${window.from}-${window.to}.csv`, freshness });
    } catch (error) {
      this.open--;
      new Logger('revenue').warn({ message: `${name} could not be exported`, error });
      throw new ServiceUnavailable();
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

function recordsOf({ columns }: CsvFile): (row: Row) => (string | null)[] {
  const written = Object.entries(columns).map(([title, kind]) => [title, WRITTEN[kind]] as const);
  return (row) => written.map(([title, write]) => (row[title] === null ? null : write(row[title])));
}

/**
 * Sends an export as a file while it is read, packed for who takes gzip; to HEAD its headers alone. A reader that goes away
 * ends it.
 */
function sendCsv({ method, headers }: FastifyRequest, reply: FastifyReply, exported: CsvExport): void {
  const { stream, fileName, freshness } = exported;
  const isPacked = negotiate(headers['accept-encoding'] ?? '', ['gzip']) === 'gzip';
  void reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileName}"`,
    'x-as-of': freshness.asOf.toISOString(),
    'x-lag-seconds': String(freshness.lagSeconds),
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  addVary(reply);
  if (method === 'HEAD') {
    // A stream has no length that could be wrong.
    finished(stream, () => void reply.send(Readable.from([])));
    return void stream.destroy();
  }
  if (!isPacked) return void reply.send(stream);
  const packed = createGzip({ level: constants.Z_BEST_SPEED });
  pipeline(stream, packed, () => undefined);
  void reply.send(packed);
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
}
