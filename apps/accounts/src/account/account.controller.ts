import { Optional } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { CurrentUser, LimitedBy, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { Unauthorized } from '@evenkeel/platform/http';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import { Controller, Delete, Get, Req, Res, Module } from '@nestjs/common';
import { ApiBody, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountsConfig } from '../accounts.config';
import { Answers, Operation } from '../operation';
import { originOf } from '../security/mail-address';
import { EXPORT_WITHIN_MS } from '../transfer/export-habits';
import { whileWaitedFor } from '../transfer/while-waited-for';
import type { AccountUser } from '../users/account-user';
import { TransferModule } from '../transfer/transfer.controller';
import { DeleteAccount, ReauthenticationRequired } from './delete-account';
import { ExportAccount } from './export-account';

/** A sign-in this recent is accepted in place of the password. */
const FRESH_MS = 300_000;

export class DeleteAccountBody {
  /** Not needed within five minutes of signing in. */
  @Optional() @IsString() @MaxLength(1_024) password?: string;
}

export class DeletionView {
  @ApiProperty({ format: 'uuid' }) readonly receiptId!: string;
  @ApiProperty({ format: 'date-time' }) readonly erasedBy!: string;
}

@ApiTags('Account')
@NeedsDatabase()
@SignedInOnly([], { 429: '`rate_limited`: too many requests' })
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly deleting: DeleteAccount,
    private readonly exporting: ExportAccount,
  ) {}

  @Get('export')
  @LimitedBy('user', 'export')
  @Operation(
    'Everything the service knows of you',
    'One JSON document, streamed: profile, habits with logs and notes, sessions, insights, usage, entitlements.',
  )
  @Answers(200, 'The document, as a file to save', {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['format', 'version', 'exportedAt', 'profile', 'habits'],
          properties: {
            format: { type: 'string' },
            version: { type: 'integer' },
            exportedAt: { type: 'string', format: 'date-time' },
            profile: { type: 'object' },
            habits: { type: 'array', items: { type: 'object' } },
            sessions: { type: 'array', items: { type: 'object' } },
            insights: { type: 'array', items: { type: 'object' } },
            usage: { type: 'array', items: { type: 'object' } },
            entitlements: { type: 'array', items: { type: 'object' } },
            securityEvents: { type: 'array', items: { type: 'object' } },
          },
        },
      },
    },
  })
  async exportAccount(@CurrentUser() user: AccountUser, @Res() reply: FastifyReply): Promise<void> {
    const document = await this.exporting.execute(user, whileWaitedFor(reply, EXPORT_WITHIN_MS));
    void reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="evenkeel-account.json"')
      .send(document);
  }

  @Delete()
  @LimitedBy('user')
  @Operation(
    'Delete the account',
    'At once no sign-in and no answer has it, and a subscription ends. Its rows are erased within a day; the receipt names nobody.',
  )
  @ApiBody({ type: DeleteAccountBody, required: false })
  @Refuses({
    400: '`validation_failed`: the body is not as described',
    401: '`unauthorized`: no valid access token; `reauthentication_required`: no password, and no sign-in of the last five minutes; `invalid_credentials`: wrong password',
    429: '`rate_limited`: too many requests, or wrong passwords for this account',
  })
  @Answers(202, 'It is deleted', { type: DeletionView })
  async deleteAccount(
    @CurrentUser() user: AccountUser,
    @JsonBody(new StrictValidationPipe({ emptyIs: {} })) { password }: DeleteAccountBody,
    @Req() request: FastifyRequest,
  ): Promise<DeletionView> {
    const isFresh = this.clock.now().getTime() - user.signedInAt.getTime() <= FRESH_MS;
    if (password === undefined && !isFresh) throw new ReauthenticationRequired();
    const receipt = await this.deleting.own(user, originOf(request, this.config.TRUSTED_PROXY_HOPS), password);
    // Another request was first.
    if (!receipt) throw new Unauthorized();
    return { receiptId: receipt.receiptId, erasedBy: receipt.erasedBy.toISOString() };
  }
}

/** Taking everything along, and leaving nothing behind. */
@Module({
  imports: [TransferModule],
  controllers: [AccountController],
  providers: [DeleteAccount, ExportAccount],
})
export class AccountModule {}
