import { finished, pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { Clock } from '@evenkeel/kernel';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { CsvStream, SnapshotRows } from '@evenkeel/platform/validation';
import { Freshness, type FreshnessReading, type Projection } from '@evenkeel/platform/messaging';
import { applyDecorators, Injectable, Logger } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Period, windowOf } from './figures/window';

/** An export holds a connection until its reader has all of it. */
const AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 5;

/** Rows that are sent as a file. */
export interface CsvFile<Row> {
  /** In the name of the file, and in the log. */
  name: string;
  /** What the rows are made of. */
  projection: Projection;
  /** Its first two values are the first and the last day, as midnight. */
  statement: string;
  /** The values after these two. */
  values?: (now: Date) => readonly unknown[];
  titles: readonly string[];
  /** The fields of a row, as many as titles. */
  recordOf: (row: Row) => (string | null)[];
}

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
  async send<Row>(request: FastifyRequest, reply: FastifyReply, period: Period, file: CsvFile<Row>): Promise<void> {
    sendCsv(request, reply, await this.begin(period, file));
  }

  private async begin<Row>(period: Period, rows: CsvFile<Row>): Promise<CsvExport> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    if (this.open >= AT_ONCE) throw new RateLimited({ scope: 'concurrency' }, RETRY_AFTER_SECONDS);
    this.open++;
    const { name, projection, statement, values = () => [], titles, recordOf } = rows;
    try {
      const freshness = await this.freshness.read(projection.subscription);
      const asked = [`${window.from}T00:00:00Z`, `${window.to}T00:00:00Z`, ...values(now)];
      const source = await SnapshotRows.open<Row>(this.dataSource, statement, asked);
      const stream = new CsvStream(source, titles, recordOf);
      stream.once('close', () => this.open--);
      return { stream, fileName: `${name}-${window.from}-${window.to}.csv`, freshness };
    } catch (error) {
      this.open--;
      new Logger('revenue').warn({ message: `${name} could not be exported`, error });
      throw new ServiceUnavailable();
    }
  }
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
