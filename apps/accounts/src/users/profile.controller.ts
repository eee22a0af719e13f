import { Clock } from '@evenkeel/kernel';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { JsonBody } from '@evenkeel/platform/validation';
import { Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { DataSource, IsNull } from 'typeorm';
import { Answers, Operation } from '../operation';
import { type AccountUser, profileView, ProfileView } from './account-user';
import { ProfileChanges } from './profile.dto';
import { User } from './users.entities';

@ApiTags('Sign-in')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/auth/me')
export class ProfileController {
  constructor(
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
  ) {}

  @Get()
  @Operation('Who is signed in', 'The user, their settings, and the session of this token.')
  @Answers(200, 'The user', { type: ProfileView })
  getProfile(@CurrentUser() user: AccountUser): ProfileView {
    return profileView(user, this.clock.now());
  }

  @Patch()
  @Operation(
    'Change name, zone, language, start of the day or of the week',
    'What is not sent stays as it is; null clears name and zone.',
  )
  @ApiBody({
    type: ProfileChanges,
    examples: { recorded: { value: { timezone: 'Europe/Madrid', weekStart: 'SUNDAY' } } },
  })
  @Answers(200, 'The user as they are now', { type: ProfileView })
  @Refuses({ 400: '`validation_failed`: such as a time zone that does not exist' })
  async changeProfile(@CurrentUser() user: AccountUser, @JsonBody() changes: ProfileChanges): Promise<ProfileView> {
    // What was sent and nothing else: two devices may change two things at once.
    const where = { id: user.userId, deletedAt: IsNull() };
    const isChange = Object.values(changes).some((value) => value !== undefined);
    if (isChange) await this.dataSource.manager.update(User, where, changes);
    const now = isChange && (await this.dataSource.manager.findOneBy(User, where));
    if (!now) return profileView(user, this.clock.now());
    const { displayName, timezone, locale, dayStartMinutes, weekStart } = now;
    return profileView({ ...user, displayName, timezone, locale, dayStartMinutes, weekStart }, this.clock.now());
  }
}
