import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Headers, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CachedDocument } from '@evenkeel/platform/http';
import { contentSecurityPolicy, referencePage, SCRIPT_PATH, STYLE_PATH } from './reference-page';

/** The reference for people, complete in itself: no request leaves this address. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class ReferenceController {
  private readonly styles = new CachedDocument(fileOf('swagger-ui.css'), { type: 'text/css; charset=utf-8' });
  private readonly script = new CachedDocument(fileOf('swagger-ui-bundle.js'), {
    type: 'text/javascript; charset=utf-8',
  });

  /** 200; the nonce is new every time, so nobody keeps it. */
  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    const nonce = randomBytes(18).toString('base64');
    void reply
      .headers({ 'content-security-policy': contentSecurityPolicy(nonce) })
      .type('text/html; charset=utf-8')
      .send(referencePage(nonce));
  }

  /** 200, or 304 for a caller that has it. */
  @Get(STYLE_PATH)
  readStyles(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    this.styles.send(reply, known);
  }

  /** 200, or 304 for a caller that has it. */
  @Get(SCRIPT_PATH)
  readScript(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    this.script.send(reply, known);
  }
}

function fileOf(name: string): Buffer {
  return readFileSync(require.resolve(`swagger-ui-dist/${name}`));
}
