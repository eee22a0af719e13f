import { UserVerified } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { MailTokens, type ProvenAddress } from '../mails/mail-tokens';
import { triedAddressKey } from '../security/mail-address';
import { SecurityEvents } from '../security/security-events';
import { EmailAlreadyRegistered } from '../sign-in/register';
import { User } from '../users/users.entities';

const UNIQUE_VIOLATION = '23505';

/** Confirms the address that a mail went to; of a change of address it becomes that of the account now. */
@Injectable()
export class VerifyEmail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly tokens: MailTokens,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * @param network shortened address of the caller
   * @throws InvalidToken, EmailAlreadyRegistered when another account has taken the new address meanwhile
   */
  async execute(token: string, network: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const { userId, email } = await this.tokens.use(tx, 'verify', token);
      const before = await tx.findOneByOrFail(User, { id: userId });
      await this.moveTo(tx, { userId, email });
      if (before.emailKey !== triedAddressKey(email)) {
        // A link to choose a password went to the old address.
        await this.tokens.end(tx, userId, 'reset');
        await this.events.record(tx, { kind: 'email_changed', userId, network });
      }
      if (!before.emailVerifiedAt) await this.announce(tx, userId);
    });
  }

  private async moveTo(tx: EntityManager, { userId, email }: ProvenAddress): Promise<void> {
    try {
      const address = { email, emailKey: triedAddressKey(email), emailVerifiedAt: this.clock.now() };
      await tx.update(User, { id: userId }, address);
    } catch (error) {
      const { code } = Object(error instanceof QueryFailedError && error.driverError) as { code?: unknown };
      throw code === UNIQUE_VIOLATION ? new EmailAlreadyRegistered() : error;
    }
  }

  private async announce(tx: EntityManager, userId: string): Promise<void> {
    const now = this.clock.now();
    const data = { userId, verifiedAt: now.toISOString() };
    await announce(tx, UserVerified, { key: userId, subject: userId, occurredAt: now, data });
  }
}
