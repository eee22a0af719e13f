import { Clock } from '@evenkeel/kernel';
import type { SignedIn } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { Session } from '../users/users.entities';

/** A live session, as its person sees it. */
export class SessionView {
  static readonly example: SessionView = {
    id: '019c1440-6a01-7000-8000-000000000000',
    createdAt: '2026-01-31T12:00:00.000Z',
    lastUsedAt: '2026-01-31T12:00:00.000Z',
    userAgent: 'Evenkeel/1.0 (Android 15)',
    network: '203.0.113.0/24',
    current: true,
  };

  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ format: 'date-time', description: 'Last refresh' }) readonly lastUsedAt!: string;
  @ApiProperty({ type: String, nullable: true }) readonly userAgent!: string | null;
  @ApiProperty({ description: 'From where they signed in, shortened' }) readonly network!: string;
  @ApiProperty({ description: 'Whether it is that of this request' }) readonly current!: boolean;
}

export class SessionsView {
  /** As it stands in the OpenAPI document. */
  static readonly example: SessionsView = { sessions: [SessionView.example], count: 1 };

  @ApiProperty({ type: [SessionView] }) readonly sessions!: SessionView[];
  @ApiProperty({ type: 'integer' }) readonly count!: number;
}

/** The live sessions of a user, newest first. */
@Injectable()
export class ListSessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, sessionId }: SignedIn): Promise<SessionsView> {
    const live = await this.dataSource.manager.find(Session, {
      where: { userId, revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) },
      order: { signedInAt: 'DESC', id: 'DESC' },
    });
    const sessions = live.map(({ id, signedInAt, lastUsedAt, userAgent, network }) => ({
      ...{ id, createdAt: signedInAt.toISOString(), lastUsedAt: lastUsedAt.toISOString(), userAgent, network },
      current: id === sessionId,
    }));
    return { sessions, count: sessions.length };
  }
}
