import type { Readable } from 'node:stream';
import { Clock } from '@evenkeel/kernel';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { CsvStream, SnapshotRows } from '@evenkeel/platform/lists';
import { Freshness, type FreshnessReading, type Projection } from '@evenkeel/platform/projection';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Window, windowUntil } from './figures/window';

/** An export holds a connection until its reader has all of it. */
const AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 5;

export interface ExportedRows<Row> {
  /** Of the file, and in the log. */
  name: string;
  /** What the rows are made of. */
  projection: Projection;
  /** Its first two values are the first and the last day, as midnight. */
  statement: string;
  /** The values after these two. */
  values?: readonly unknown[];
  titles: readonly string[];
  /** The fields of a row, as many as titles. */
  recordOf: (row: Row) => (string | null)[];
}

export interface CsvExport {
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

  /** @throws RateLimited when others are at it, ServiceUnavailable */
  async execute<Row>(days: number, rows: ExportedRows<Row>): Promise<CsvExport> {
    if (this.open >= AT_ONCE) throw new RateLimited({ scope: 'concurrency' }, RETRY_AFTER_SECONDS);
    this.open++;
    const { name, projection, statement, values = [], titles, recordOf } = rows;
    try {
      const window: Window = windowUntil(this.clock.now(), days);
      const freshness = await this.freshness.read(projection.subscription);
      const asked = [`${window.from}T00:00:00Z`, `${window.to}T00:00:00Z`, ...values];
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

/** Sends an export as a file; to HEAD its headers alone. */
export function sendCsv({ method }: FastifyRequest, reply: FastifyReply, exported: CsvExport): void {
  const { stream, fileName, freshness } = exported;
  void reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileName}"`,
    'x-as-of': freshness.asOf.toISOString(),
    'x-lag-seconds': String(freshness.lagSeconds),
  });
  if (method !== 'HEAD') return void reply.send(stream);
  stream.destroy();
  void reply.send();
}
