import { DomainError } from '@evenkeel/kernel';
import { Controller, Get, HttpCode, Module, Param, ParseUUIDPipe, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pino from 'pino';
import { CorsTerms, MaxBodyBytes } from './create-http-app';
import type { RunningHttp } from './run-http';
import { startApp } from './http.fixture';

class CardDeclined extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'card_declined';
  override readonly details = { try: 'another' };
  constructor() {
    super('The card was declined.');
  }
}

class Overloaded extends DomainError {
  readonly kind = 'rate_limited';
  readonly code = 'rate_limited';
  override readonly retryAfterSeconds = 1.2;
}

@Controller()
class EchoController {
  /** Class and text of what the handler was given. */
  @Post(['v1/echo', 'agent/v1/echo'])
  @HttpCode(200)
  echo(@Req() { body }: FastifyRequest) {
    const isBuffer = Buffer.isBuffer(body);
    return { isBuffer, text: isBuffer ? body.toString() : null };
  }

  @Post('v1/longer')
  @MaxBodyBytes(2_000)
  @HttpCode(200)
  longer() {
    return {};
  }

  @Post('v1/shorter')
  @MaxBodyBytes(10)
  @HttpCode(200)
  shorter() {
    return {};
  }

  @Get('v1/things/:id')
  thing(@Param('id', ParseUUIDPipe) id: string) {
    return { id };
  }

  @Put('v1/things/:id')
  replace() {
    return {};
  }

  @Get('agent/v1/bytes')
  @CorsTerms({ origin: '*' })
  bytes(@Res() reply: FastifyReply) {
    reply.header('cache-control', 'public, max-age=300').header('content-type', 'text/plain').send(Buffer.from('ok'));
  }

  @Get('v1/declined')
  declined() {
    throw new CardDeclined();
  }

  @Get('agent/v1/overloaded')
  overloaded() {
    throw new Overloaded();
  }

  @Get('v1/broken')
  broken() {
    throw new Error('secret connection string');
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

/**
 * A running app with routes that echo, fail and hide things.
 * @param lines gets what the app logs
 */
export function startEchoApp(lines: string[]): Promise<RunningHttp> {
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  return startApp(EchoModule, { logger, corsOrigins: ['https://app.example'], trustedProxyHops: 1 });
}
