import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { EventTransport, type ReaderPosition } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SUBSCRIPTION } from './project-ledger.consumer';

/** A look at the ends of the stream, and when it was. */
interface Look {
  atMs: number;
  ends: Map<number, bigint>;
}

/** So many looks wait to be reached; while there are more, the projection is far behind, and rough is good enough. */
const LOOKS_KEPT = 60;

// Ages are measured here, instants by the clock of the database: no two clocks are compared. What was seen before a
// rebuild says nothing about what is there after it.
const RECORD = `
  UPDATE progress SET checked_at = now(), unread = $1,
    caught_up_at = greatest(caught_up_at, now() - make_interval(secs => $2::float8 / 1000))
  WHERE NOT EXISTS (
    SELECT FROM rebuilds WHERE coalesce(rewound_at, now()) >= now() - make_interval(secs => $3::float8 / 1000)
  )`;

/** Writes down how far the projection has come, so that whoever answers questions can say how fresh they are. */
@Injectable()
export class WatchProgress {
  private looks: Look[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
  ) {}

  /** What was in the stream at an earlier look, and is read by now, is applied. */
  async look(): Promise<void> {
    const atMs = performance.now();
    const positions = await this.transport.positions(SUBSCRIPTION, PAYMENTS_STREAM);
    if (this.looks.length < LOOKS_KEPT) this.looks.push({ atMs, ends: endsOf(positions) });
    const reached = this.looks.findLastIndex(({ ends }) => isReached(ends, positions));
    const caughtUp = this.looks[reached];
    this.looks = this.looks.slice(reached + 1);

    const unread = positions.reduce((sum, { next, end }) => sum + (end > next ? end - next : 0n), 0n);
    const nowMs = performance.now();
    await this.dataSource.query(RECORD, [String(unread), caughtUp ? nowMs - caughtUp.atMs : null, nowMs - atMs]);
  }
}

function endsOf(positions: readonly ReaderPosition[]): Map<number, bigint> {
  return new Map(positions.map(({ partition, end }) => [partition, end]));
}

function isReached(ends: ReadonlyMap<number, bigint>, positions: readonly ReaderPosition[]): boolean {
  return positions.every(({ partition, next }) => next >= (ends.get(partition) ?? 0n));
}
