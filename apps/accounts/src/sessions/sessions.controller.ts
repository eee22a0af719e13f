import { Clock } from '@evenkeel/kernel';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { NotFound } from '@evenkeel/platform/http';
import { knownWord, UuidParam } from '@evenkeel/platform/validation';
import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiProperty, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';
import { Session } from '../users/users.entities';
import { EndSessions, type Ending } from './end-sessions';
import { transactionInTurn } from '../users/turn-of-user';

/** A live session, as its person sees it. */
export class SessionView {
  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ format: 'date-time', description: 'Last refresh' }) readonly lastUsedAt!: string;
  @ApiProperty({ type: String, nullable: true }) readonly userAgent!: string | null;
  @ApiProperty({ description: 'From where they signed in, shortened' }) readonly network!: string;
  @ApiProperty({ description: 'Whether it is that of this request' }) readonly current!: boolean;
}

export class SessionsView {
  @ApiProperty({ type: [SessionView] }) readonly sessions!: SessionView[];
  @ApiProperty({ type: 'integer' }) readonly count!: number;
}

const EXCEPTIONS = ['current', 'none'] as const;

@ApiTags('Sign-in')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/auth/sessions')
export class SessionsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly ending: EndSessions,
  ) {}

  @Get()
  @Operation(
    'Where you are signed in',
    'The live sessions, newest first. At most 20: one more sign-in ends the oldest.',
  )
  @Answers(200, 'The sessions', { type: SessionsView })
  async listSessions(@CurrentUser() { userId, sessionId }: AccountUser): Promise<SessionsView> {
    const live = await this.dataSource.manager.find(Session, {
      where: { userId, revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) },
      order: { signedInAt: 'DESC', id: 'DESC' },
    });
    const sessions = live.map(({ id, signedInAt, lastUsedAt, userAgent, network }) => ({
      id,
      createdAt: signedInAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      userAgent,
      network,
      current: id === sessionId,
    }));
    return { sessions, count: sessions.length };
  }

  @Delete(':id')
  @Operation('End one session', 'Its tokens are invalid from now on here, and within a second everywhere else.')
  @ApiParam({ name: 'id', description: 'as the list says', schema: { type: 'string', format: 'uuid' } })
  @Answers(204, 'The session is over')
  @Refuses({ 400: '`validation_failed`: the id is no UUID', 404: '`not_found`: there is no such session' })
  async endSession(@CurrentUser() user: AccountUser, @UuidParam('id') sessionId: string): Promise<void> {
    if ((await this.endOf(user, { only: sessionId })).length === 0) throw new NotFound();
  }

  @Delete()
  @Operation('End all other sessions, or all', 'Without `except` the session of this request goes on.')
  @ApiQuery({ name: 'except', required: false, schema: { type: 'string', enum: [...EXCEPTIONS], default: 'current' } })
  @Answers(204, 'The sessions are over')
  @Refuses({ 400: '`validation_failed`: another word' })
  async endSessions(@CurrentUser() user: AccountUser, @Query('except') except: unknown): Promise<void> {
    const word = knownWord('except', except, EXCEPTIONS) ?? 'current';
    await this.endOf(user, word === 'none' ? { all: true } : { except: user.sessionId });
  }

  /** @returns the sessions that were live until now */
  private endOf(user: AccountUser, ending: Ending): Promise<string[]> {
    return transactionInTurn(this.dataSource, user.userId, async (tx) => {
      await lockSignedIn(tx, user);
      return this.ending.execute(tx, user.userId, ending);
    });
  }
}
