import { IsString } from 'class-validator';
import { MaxCharacters } from '@evenkeel/contracts';
import { NeedsDatabase, LimitedBy, RateLimitGuard, Refuses } from '@evenkeel/platform/auth';
import { sendPage } from '@evenkeel/platform/http';
import { JsonBody } from '@evenkeel/platform/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountsConfig } from '../accounts.config';
import { ResetRequests } from '../mails/post-mail';
import { originOf } from '../security/mail-address';
import { NewPassword } from '../security/new-password';
import { MailAddress } from '../sign-in/credentials.dto';
import { LINK_TOKEN_CHARACTERS, LinkPage } from './link-pages';
import { ResetPassword } from './use-link';

const INVALID_BODY = '`validation_failed`: the body is not as described';
const LIMITED = '`rate_limited`: too many requests from this address';

export class ForgotPasswordBody {
  @ApiProperty({ format: 'email' }) @MailAddress() email!: string;
}

export class ResetPasswordBody {
  @IsString() @MaxCharacters(LINK_TOKEN_CHARACTERS) token!: string;
  @ApiProperty({ minLength: 8, maxLength: 128 }) @NewPassword() password!: string;
}

@ApiTags('Forgotten passwords')
@Refuses({ 429: LIMITED })
@NeedsDatabase()
@Controller('v1/auth/password')
@UseGuards(RateLimitGuard)
export class PasswordController {
  private readonly page = new LinkPage('reset', 'Choose a new password');

  constructor(
    private readonly config: AccountsConfig,
    private readonly requests: ResetRequests,
    private readonly resetPassword: ResetPassword,
  ) {}

  /** The page of a link when no app has pages of its own for it. */
  @Get('reset')
  @ApiExcludeEndpoint()
  @LimitedBy('discovery')
  resetPage(@Res() reply: FastifyReply): void {
    sendPage(reply, this.page.withNonce());
  }

  @Post('forgot')
  @HttpCode(202)
  @LimitedBy('mail')
  @ApiOperation({
    operationId: 'forgotPassword',
    summary: 'Ask for a new password',
    description: 'The same answer for every address, whether an account has it or not.',
    security: [],
  })
  @ApiBody({ type: ForgotPasswordBody, examples: { forgotten: { value: { email: 'ana@example.com' } } } })
  @ApiResponse({ status: 202, description: 'Accepted' })
  @Refuses({ 400: INVALID_BODY })
  async forgot(@JsonBody() { email }: ForgotPasswordBody): Promise<void> {
    await this.requests.add(email);
  }

  @Post('reset')
  @HttpCode(204)
  @LimitedBy('login')
  @ApiOperation({
    operationId: 'resetPassword',
    summary: 'Set a new password',
    description: 'By the token of a link in a mail. Every session of the account ends.',
    security: [],
  })
  @ApiBody({
    type: ResetPasswordBody,
    examples: { reset: { value: { token: 'hrp_from-the-link', password: 'a new long password' } } },
  })
  @ApiResponse({ status: 204, description: 'The password is changed' })
  @Refuses({
    400:
      `${INVALID_BODY}; \`invalid_token\`: unknown, used, expired or replaced by a newer one; ` +
      '`password_breached`: known from breaches',
  })
  async reset(@JsonBody() body: ResetPasswordBody, @Req() request: FastifyRequest): Promise<void> {
    await this.resetPassword.execute(body, originOf(request, this.config.TRUSTED_PROXY_HOPS).network);
  }
}
