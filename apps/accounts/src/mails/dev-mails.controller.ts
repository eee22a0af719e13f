import { NotFound } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { escaped } from './mail-texts';
import { Mail } from './mails.entities';
import { WrittenMails } from './send-mails';

const SHOWN = 50;

/** The mails of a local run, in place of a mailbox. */
@ApiExcludeController()
@Controller('dev/mails')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DevMailsController {
  constructor(
    private readonly config: AccountsConfig,
    private readonly dataSource: DataSource,
    private readonly written: WrittenMails,
  ) {}

  /** 200, a page for browsers, else JSON; 404 in production and wherever mails are sent. */
  @Get()
  async list(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.config.showsMails) throw new NotFound();
    const mails = await this.lastMails();
    void reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    if (!headers.accept?.includes('text/html')) return void reply.send({ mails });
    const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    void reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(pageOf(mails));
  }

  /** The youngest first. */
  async lastMails() {
    const { manager } = this.dataSource;
    const rows = await manager.find(Mail, { relations: { token: true }, order: { id: 'DESC' }, take: SHOWN });
    return rows.flatMap((row) => {
      const mail = this.written.of(row);
      if (!mail) return [];
      const { to, subject, text, date } = mail;
      return [{ to: to.address, subject, text, createdAt: date.toISOString() }];
    });
  }
}

function pageOf(mails: Awaited<ReturnType<DevMailsController['lastMails']>>): string {
  const items = mails.map(
    ({ to, subject, text, createdAt }) =>
      `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to)}, ${createdAt}</p>${paragraphsOf(text)}</article>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Mails of this local run</title></head>
<body><main><h1>Mails of this local run</h1>
${items.join('\n<hr>\n') || '<p>None yet.</p>'}
</main></body>
</html>
`;
}

function paragraphsOf(text: string): string {
  return text
    .trim()
    .split('\n\n')
    .map((paragraph) => escaped(paragraph))
    .map((paragraph) => (/^https?:/.test(paragraph) ? `<a href="${paragraph}">${paragraph}</a>` : paragraph))
    .map((paragraph) => `<p>${paragraph}</p>`)
    .join('\n');
}
