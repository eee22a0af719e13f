import { CachedDocument, CorsTerms } from '@evenkeel/platform/http';
import { jwksOf } from '@evenkeel/platform/config';
import { LimitedBy, RateLimitGuard, Refuses } from '@evenkeel/platform/auth';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccountsConfig } from '../accounts.config';

/** The public keys of access tokens, as a JWK Set (RFC 7517). */
@ApiTags('Sign-in')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('.well-known/jwks.json')
export class KeysController {
  private readonly document: CachedDocument;

  constructor({ accessKeys }: AccountsConfig) {
    this.document = new CachedDocument(jwksOf(accessKeys));
  }

  /** 200, or 304 for a caller that has them. */
  @Get()
  @CorsTerms({ origin: '*' })
  @ApiOperation({
    operationId: 'listAccessTokenKeys',
    summary: 'The public keys of access tokens',
    description: 'A JWK Set (RFC 7517). A new key is in it before it signs.',
    security: [],
  })
  @ApiOkResponse({
    description: 'The keys',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['keys'],
          properties: { keys: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } } },
        },
      },
    },
  })
  @Refuses({ 429: '`rate_limited`: too many requests from this address' })
  list(@Res() reply: FastifyReply): void {
    this.document.send(reply);
  }
}
