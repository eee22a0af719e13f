import { MaxCharacters } from '@evenkeel/contracts';
import { CurrentUser, LimitedBy, NeedsDatabase, RateLimitGuard, Refuses, SignedInOnly } from '@evenkeel/platform/auth';
import { policyOf } from '@evenkeel/platform/http';
import { JsonBody } from '@evenkeel/platform/validation';
import { Controller, Get, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountsConfig } from '../accounts.config';
import { MailsModule } from '../mails/mails.module';
import { ResetRequests } from '../mails/post-mail';
import { Answers, OpenOperation, Operation } from '../operation';
import { originOf } from '../security/mail-address';
import { NewPassword } from '../security/new-password';
import { MailAddress } from '../sign-in/credentials.dto';
import { SignInModule } from '../sign-in/sign-in.controller';
import type { AccountUser } from '../users/account-user';
import { MailAddresses, ResetPassword } from './use-link';

/** A document of HTML; its nonce is on its own style and script, and on no other answer. */
interface NoncedPage {
  html: string;
  nonce: string;
}

const NONCE_BYTES = 18;

/**
 * A page of ours that a link in a mail opens: it sends the token of the link to the route of its own path.
 * @param form name of its file in `pages`
 * @returns makes the page of one answer
 */
export function linkPage(form: string, title: string): () => NoncedPage {
  const read = (name: string) => readFileSync(join(__dirname, 'pages', `${name}.html`), 'utf8');
  const html = read('frame').replace('{{form}}', read(form).trim()).replaceAll('{{title}}', title);
  return () => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return { html: html.replaceAll('{{nonce}}', nonce), nonce };
  };
}

/** Sends a page for people that is not stored, indexed or framed. Only its own script runs. */
function sendPage(reply: FastifyReply, { html, nonce }: NoncedPage): void {
  void reply
    .headers({
      'content-security-policy': policyOf([`script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`]),
      'x-robots-tag': 'noindex',
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}

const INVALID_BODY = '`validation_failed`: the body is not as described';
const INVALID_TOKEN = '`invalid_token`: unknown, used, expired or replaced by a newer one';
const UNAUTHORIZED = '`unauthorized`: no access token of a live session';
const LIMITED = '`rate_limited`: too many requests from this address';
const LIMITED_TOO = `${LIMITED} or of this user`;

/** Tokens of links that are longer are no tokens of ours. */
const TOKEN_CHARACTERS = 128;

export class VerifyEmailBody {
  @IsString() @MaxCharacters(TOKEN_CHARACTERS) token!: string;
}

export class ChangeEmailBody {
  @ApiProperty({ format: 'email' }) @MailAddress() email!: string;
  @IsString() @MaxCharacters(1_024) password!: string;
}

export class EmailVerifiedView {
  @ApiProperty({ enum: [true], description: 'The address of the account is confirmed' })
  emailVerified!: true;
}

@ApiTags('Mail addresses')
@NeedsDatabase()
@Controller('v1/auth/email')
export class EmailController {
  private readonly page = linkPage('verify', 'Confirm your address');

  constructor(
    private readonly config: AccountsConfig,
    private readonly addresses: MailAddresses,
  ) {}

  /** The page of a link when no app has pages of its own for it. */
  @Get('verify')
  @ApiExcludeEndpoint()
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  showPage(@Res() reply: FastifyReply): void {
    sendPage(reply, this.page());
  }

  @Post('verify')
  @UseGuards(RateLimitGuard)
  @LimitedBy('login')
  @OpenOperation(
    'Confirm an address of mail',
    'By the token of a link in a mail. Of a change of address, the new one is that of the account from now on.',
  )
  @ApiBody({ type: VerifyEmailBody, examples: { token: { value: { token: 'hrv_from-the-link' } } } })
  @Answers(200, 'The address is confirmed', {
    type: EmailVerifiedView,
    examples: { recorded: { summary: 'Confirmed', value: { emailVerified: true } } },
  })
  @Refuses({
    400: `${INVALID_BODY}; ${INVALID_TOKEN}`,
    409: '`email_already_registered`: taken meanwhile',
    429: LIMITED_TOO,
  })
  async verifyEmail(
    @JsonBody() { token }: VerifyEmailBody,
    @Req() request: FastifyRequest,
  ): Promise<EmailVerifiedView> {
    await this.addresses.verify(token, originOf(request, this.config.TRUSTED_PROXY_HOPS).network);
    return { emailVerified: true };
  }

  @Post('resend')
  @SignedInOnly(['user', 'ownMail'], { 401: UNAUTHORIZED, 429: LIMITED_TOO })
  @Operation(
    'Send the link that confirms an address again',
    'To the new address while a change is under way, else to that of the account. 202, also when there is nothing to confirm.',
  )
  @Answers(202, 'Accepted')
  async resendVerification(@CurrentUser() user: AccountUser): Promise<void> {
    await this.addresses.askAgain(user);
  }

  @Post('change')
  @SignedInOnly(['user', 'ownMail'], {
    401: `${UNAUTHORIZED}; \`invalid_credentials\`: the password is wrong`,
    429: LIMITED_TOO,
  })
  @Operation(
    'Ask for another address of the account',
    'The new address gets a link, the old one a notice. Nothing changes before the link is used.',
  )
  @ApiBody({
    type: ChangeEmailBody,
    examples: { change: { value: { email: 'new@example.com', password: 'the password of the account' } } },
  })
  @Answers(202, 'Accepted')
  @Refuses({ 400: INVALID_BODY })
  async changeEmail(
    @CurrentUser() user: AccountUser,
    @JsonBody() body: ChangeEmailBody,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.addresses.askForChange(user, body, originOf(request, this.config.TRUSTED_PROXY_HOPS));
  }
}

export class ForgotPasswordBody {
  @ApiProperty({ format: 'email' }) @MailAddress() email!: string;
}

export class ResetPasswordBody {
  @IsString() @MaxCharacters(TOKEN_CHARACTERS) token!: string;
  @ApiProperty({ minLength: 8, maxLength: 128 }) @NewPassword() password!: string;
}

@ApiTags('Forgotten passwords')
@Refuses({ 429: LIMITED })
@NeedsDatabase()
@Controller('v1/auth/password')
@UseGuards(RateLimitGuard)
export class PasswordController {
  private readonly page = linkPage('reset', 'Choose a new password');

  constructor(
    private readonly config: AccountsConfig,
    private readonly requests: ResetRequests,
    private readonly resetting: ResetPassword,
  ) {}

  /** The page of a link when no app has pages of its own for it. */
  @Get('reset')
  @ApiExcludeEndpoint()
  @LimitedBy('discovery')
  showPage(@Res() reply: FastifyReply): void {
    sendPage(reply, this.page());
  }

  @Post('forgot')
  @LimitedBy('mail')
  @OpenOperation('Ask for a new password', 'The same answer for every address, whether an account has it or not.')
  @ApiBody({ type: ForgotPasswordBody, examples: { forgotten: { value: { email: 'ana@example.com' } } } })
  @Answers(202, 'Accepted')
  @Refuses({ 400: INVALID_BODY })
  async forgotPassword(@JsonBody() { email }: ForgotPasswordBody): Promise<void> {
    await this.requests.add(email);
  }

  @Post('reset')
  @LimitedBy('login')
  @OpenOperation('Set a new password', 'By the token of a link in a mail. Every session of the account ends.')
  @ApiBody({
    type: ResetPasswordBody,
    examples: { reset: { value: { token: 'hrp_from-the-link', password: 'a new long password' } } },
  })
  @Answers(204, 'The password is changed')
  @Refuses({ 400: `${INVALID_BODY}; ${INVALID_TOKEN}; \`password_breached\`: known from breaches` })
  async resetPassword(@JsonBody() body: ResetPasswordBody, @Req() request: FastifyRequest): Promise<void> {
    await this.resetting.execute(body, originOf(request, this.config.TRUSTED_PROXY_HOPS).network);
  }
}

/** Pages and routes that links of mails lead to. */
@Module({
  imports: [MailsModule, SignInModule],
  controllers: [EmailController, PasswordController],
  providers: [MailAddresses, ResetPassword],
})
export class MailLinksModule {}
