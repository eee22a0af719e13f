import { IsString } from 'class-validator';
import { MaxCharacters } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly, LimitedBy, RateLimitGuard, Refuses } from '@evenkeel/platform/auth';
import { sendPage } from '@evenkeel/platform/http';
import { JsonBody } from '@evenkeel/platform/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { AccountsConfig } from '../accounts.config';
import { originOf, type Origin } from '../security/mail-address';
import { MailAddress } from '../sign-in/credentials.dto';
import type { AccountUser } from '../users/account-user';
import { AskForVerification } from './ask-for-verification';
import { LINK_TOKEN_CHARACTERS, LinkPage } from './link-pages';
import { VerifyEmail } from './use-link';

const INVALID_BODY = '`validation_failed`: the body is not as described';
const UNAUTHORIZED = '`unauthorized`: no access token of a live session';
const LIMITED = '`rate_limited`: too many requests from this address or of this user';

export class VerifyEmailBody {
  @IsString() @MaxCharacters(LINK_TOKEN_CHARACTERS) token!: string;
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
  private readonly page = new LinkPage('verify', 'Confirm your address');

  constructor(
    private readonly config: AccountsConfig,
    private readonly verifyEmail: VerifyEmail,
    private readonly askForVerification: AskForVerification,
  ) {}

  /** The page of a link when no app has pages of its own for it. */
  @Get('verify')
  @ApiExcludeEndpoint()
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  verifyPage(@Res() reply: FastifyReply): void {
    sendPage(reply, this.page.withNonce());
  }

  @Post('verify')
  @HttpCode(200)
  @UseGuards(RateLimitGuard)
  @LimitedBy('login')
  @ApiOperation({
    operationId: 'verifyEmail',
    summary: 'Confirm an address of mail',
    description:
      'By the token of a link in a mail. Of a change of address, the new one is that of the account from now on.',
    security: [],
  })
  @ApiBody({ type: VerifyEmailBody, examples: { token: { value: { token: 'hrv_from-the-link' } } } })
  @ApiOkResponse({
    type: EmailVerifiedView,
    description: 'The address is confirmed',
    examples: { recorded: { summary: 'Confirmed', value: { emailVerified: true } } },
  })
  @Refuses({
    400: `${INVALID_BODY}; \`invalid_token\`: unknown, used, expired or replaced by a newer one`,
    409: '`email_already_registered`: taken meanwhile',
    429: LIMITED,
  })
  async verify(@JsonBody() { token }: VerifyEmailBody, @Req() request: FastifyRequest): Promise<EmailVerifiedView> {
    await this.verifyEmail.execute(token, this.originOf(request).network);
    return { emailVerified: true };
  }

  @Post('resend')
  @HttpCode(202)
  @SignedInOnly(['user', 'ownMail'], { 401: UNAUTHORIZED, 429: LIMITED })
  @ApiOperation({
    operationId: 'resendVerification',
    summary: 'Send the link that confirms an address again',
    description:
      'To the new address while a change is under way, else to that of the account. 202, also when there is nothing to confirm.',
  })
  @ApiResponse({ status: 202, description: 'Accepted' })
  async resend(@CurrentUser() user: AccountUser): Promise<void> {
    await this.askForVerification.again(user);
  }

  @Post('change')
  @HttpCode(202)
  @SignedInOnly(['user', 'ownMail'], {
    401: `${UNAUTHORIZED}; \`invalid_credentials\`: the password is wrong`,
    429: LIMITED,
  })
  @ApiOperation({
    operationId: 'changeEmail',
    summary: 'Ask for another address of the account',
    description: 'The new address gets a link, the old one a notice. Nothing changes before the link is used.',
  })
  @ApiBody({
    type: ChangeEmailBody,
    examples: { change: { value: { email: 'new@example.com', password: 'the password of the account' } } },
  })
  @ApiResponse({ status: 202, description: 'Accepted' })
  @Refuses({ 400: INVALID_BODY })
  async change(
    @CurrentUser() user: AccountUser,
    @JsonBody() body: ChangeEmailBody,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.askForVerification.change(user, body, this.originOf(request));
  }

  private originOf(request: FastifyRequest): Origin {
    return originOf(request, this.config.TRUSTED_PROXY_HOPS);
  }
}
