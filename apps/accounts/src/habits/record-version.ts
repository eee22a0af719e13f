import { Refuses } from '@evenkeel/platform/auth';
import { DomainError } from '@evenkeel/kernel';
import {
  applyDecorators,
  createParamDecorator,
  HttpCode,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tap, type Observable } from 'rxjs';

/** The record has changed since its caller saw it. */
export class PreconditionFailed extends DomainError {
  readonly kind = 'precondition_failed';
  readonly code = 'precondition_failed';
  override readonly details: { updatedAt: string };

  constructor(updatedAt: Date) {
    super('The record has changed since. Read it again, and decide anew.');
    this.details = { updatedAt: updatedAt.toISOString() };
  }
}

/** For a change of a record that is stored: now, but later than the change before, so that each change has another `ETag`. */
export function changedAt(now: Date, { updatedAt }: { updatedAt: Date }): Date {
  return new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
}

/**
 * @param ifMatch the header: `*`, or tags of which one is that of the record. A tag is read as the moment that it is: clients write
 *   one moment in several ways, and a proxy that packs answers marks tags as weak
 * @throws PreconditionFailed
 */
export function assertMatches({ updatedAt }: { updatedAt: Date }, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
  if (tags.some((tag) => tag === '*' || Date.parse(tag) === updatedAt.getTime())) return;
  throw new PreconditionFailed(updatedAt);
}

/** Of a route that creates, for its document. */
export const CONFLICT = '`conflict`: this `clientId` is stored with other content; `details` has `stored` and `sent`';
export const CLIENT_ID = 'yours: a repeat answers 200 with what is stored, 409 when it says something else';

/** The value of the header; undefined without it. */
export const IfMatch = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'],
);

/** A handler that changes a record, on condition that it is still as its caller knows it. */
export function TakesIfMatch(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      schema: { type: 'string' },
      description:
        '`ETag` of the record as you know it: its `updatedAt` in quotation marks. Without it the last write wins',
    }),
    Refuses({ 412: '`precondition_failed`: the record is not the one of `If-Match`' }),
  );
}

const RECORD_HEADERS = {
  ETag: { description: '`updatedAt` in quotation marks, for `If-Match`', schema: { type: 'string' } },
} as const;

@Injectable()
class TagRecord implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<{ updatedAt?: string } | string>): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap((record) => {
        // The answer that an `Idempotency-Key` repeats is text.
        const { updatedAt } = typeof record === 'string' ? (JSON.parse(record) as { updatedAt?: string }) : record;
        if (updatedAt !== undefined) void reply.header('ETag', `"${updatedAt}"`);
      }),
    );
  }
}

/**
 * A handler whose answer is one record: the header `ETag` has its version.
 * @param answers what each status says of it
 */
export function AnswersRecord(view: Type, answers: Readonly<Record<number, string>>): MethodDecorator {
  const documented = Object.entries(answers).map(([status, description]) =>
    ApiResponse({ type: view, headers: RECORD_HEADERS, status: Number(status), description }),
  );
  return applyDecorators(HttpCode(200), UseInterceptors(TagRecord), ...documented);
}
