import { createHash } from 'node:crypto';
import { ErrorBody } from '@evenkeel/contracts';
import { DomainError, type ErrorKind } from '@evenkeel/kernel';
import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { userOf } from '../auth/signed-in.guard';
import { errorAnswer } from '../http';
import { pathOf } from '../http/request';
import { assertIdempotencyKey, IDEMPOTENCY_KEY_SCHEMA } from '../validation';
import { IdempotencyKeys, type KeptAnswer, type KeyScope } from './idempotency-keys';

const HEADER = 'idempotency-key';
const REPLAYED = 'idempotent-replayed';
const REFUSALS =
  '`idempotency_key_reused`: the key came with another body; `idempotency_in_progress`: not answered yet';
const SWITCH = 'idempotent-switch';
/** Status from which on a repetition may get another answer. */
const NOT_KEPT_FROM = 429;

type KeyedRequest = FastifyRequest & { operationId?: string };

/**
 * A handler behind `SignedInGuard` whose requests may carry an `Idempotency-Key`: a repetition within 24 hours gets the stored
 * answer. Answers of 429 and above are not stored: the next request does the work, as it does a minute after a process died.
 * The handler recognises work that is already done by its `@OperationId()`.
 * @param query name of a query parameter that changes what is done: with another value the same key is refused as with
 *   another body
 * @param conflict another conflict that the handler answers, for the document
 */
export function Idempotent({ query, conflict }: { query?: string; conflict?: string } = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(SWITCH, query),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      schema: IDEMPOTENCY_KEY_SCHEMA,
      description: 'yours; the same key with the same body gets the stored answer for 24 hours',
    }),
    ApiResponse({
      status: 409,
      type: ErrorBody,
      description: [REFUSALS, conflict].filter(Boolean).join('; '),
    }),
  );
}

/** The id of the work behind an `Idempotency-Key`, the same when it is begun again; undefined without a key. */
export const OperationId = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<KeyedRequest>().operationId,
);

/** Answers repetitions of a request, and keeps the answer of the first. */
@Injectable()
class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<KeyedRequest>();
    const key = request.headers[HEADER];
    if (key === undefined) return next.handle();
    const query = this.reflector.get<string | undefined>(SWITCH, context.getHandler());
    const fingerprint = fingerprintOf(request, query);
    return this.answer(request, http.getResponse<FastifyReply>(), scopeOf(request, String(key)), fingerprint, next);
  }

  private async answer(
    request: KeyedRequest,
    reply: FastifyReply,
    scope: KeyScope,
    fingerprint: Buffer,
    next: CallHandler,
  ): Promise<Observable<unknown>> {
    const begun = await this.keys.begin(scope, fingerprint);
    if (begun.as === 'repeat') return from([replay(reply, begun.answer)]);
    request.operationId = begun.operationId;
    const result = await lastValueFrom(next.handle() as Observable<unknown>, { defaultValue: undefined }).catch(
      async (error: unknown) => {
        await this.keepRefusal(scope, begun.run, error);
        throw error;
      },
    );
    const { statusCode: status } = reply;
    const body = result === undefined ? '' : JSON.stringify(result);
    // It took so long that it was answered 503: the status is that of the refusal.
    if (status >= NOT_KEPT_FROM) await this.keys.release(scope, begun.run);
    else await this.keys.keep(scope, begun.run, { status, body });
    return from([result]);
  }

  private async keepRefusal(scope: KeyScope, run: string, error: unknown): Promise<void> {
    const refusal = error instanceof DomainError ? error : undefined;
    const { status, body } = errorAnswer(refusal);
    if (!refusal || status >= NOT_KEPT_FROM) return this.keys.release(scope, run);
    await this.keys.keep(scope, run, { status, body: JSON.stringify(body), refusal: refusal.kind });
  }
}

/** @throws ValidationFailed */
function scopeOf(request: FastifyRequest, key: string): KeyScope {
  assertIdempotencyKey(key);
  // Ids in a path are the same in capitals, and escaped; a NUL stays escaped, since no database takes it.
  const path = encodeURI(pathOf(request.url)).toLowerCase();
  return { owner: userOf(request), method: request.method, path, key };
}

const FORM = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^;\s]+))/i;
/** A form of more is compared as it is: taking it apart would take long. */
const MOST_PARTS = 100;

/**
 * Equal for two requests that ask for the same: SHA-256 of the body. A form is read by its parts, because clients
 * choose another boundary each time.
 * @param query name of a query parameter that is compared too
 */
function fingerprintOf({ body, headers, query: given }: FastifyRequest, query?: string): Buffer {
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
  const hash = createHash('sha256');
  const value = query === undefined ? undefined : (given as Record<string, unknown>)[query];
  if (value !== undefined) hash.update(`?${query}=${JSON.stringify(value)}\n`);
  const parts = partsOf(bytes, headers['content-type']);
  if (!parts) return hash.update(bytes).digest();
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest();
}

function partsOf(body: Buffer, contentType: string | undefined): Buffer[] | undefined {
  const [, quoted, plain] = FORM.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return undefined;
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let from = 0;
  while (parts.length < MOST_PARTS) {
    const to = body.indexOf(delimiter, from);
    if (to < 0) return [...parts, body.subarray(from)];
    parts.push(body.subarray(from, to));
    from = to + delimiter.length;
  }
  return undefined;
}

/** The stored bytes; a refusal is thrown again, so that it gets the shape that this caller asks for. */
function replay(reply: FastifyReply, { status, body, refusal }: KeptAnswer): string | undefined {
  if (refusal) throw new KeptRefusal(refusal, JSON.parse(body) as ErrorBody);
  void reply.status(status).header(REPLAYED, 'true');
  if (body === '') return undefined;
  void reply.header('content-type', 'application/json; charset=utf-8');
  return body;
}

class KeptRefusal extends DomainError {
  readonly code: string;
  override readonly details?: Readonly<Record<string, unknown>>;
  readonly headers = { [REPLAYED]: 'true' };

  constructor(
    readonly kind: ErrorKind,
    { error, message, details }: ErrorBody,
  ) {
    super(message);
    this.code = error;
    this.details = details;
  }
}
