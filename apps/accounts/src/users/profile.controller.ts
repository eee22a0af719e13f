import { Clock } from '@evenkeel/kernel';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { JsonBody } from '@evenkeel/platform/validation';
import { Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AccountUser, profileView, ProfileView } from './account-user';
import { ChangeProfile, ProfileChanges } from './change-profile';

@ApiTags('Sign-in')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/auth/me')
export class ProfileController {
  constructor(
    private readonly clock: Clock,
    private readonly changing: ChangeProfile,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getProfile',
    summary: 'Who is signed in',
    description: 'The user, their settings, and the session of this token.',
  })
  @ApiOkResponse({
    type: ProfileView,
    description: 'The user',
  })
  me(@CurrentUser() user: AccountUser): ProfileView {
    return profileView(user, this.clock.now());
  }

  @Patch()
  @ApiOperation({
    operationId: 'changeProfile',
    summary: 'Change name, zone, language, start of the day or of the week',
    description: 'What is not sent stays as it is; null clears name and zone.',
  })
  @ApiBody({
    type: ProfileChanges,
    examples: { recorded: { value: { timezone: 'Europe/Madrid', weekStart: 'SUNDAY' } } },
  })
  @ApiOkResponse({
    type: ProfileView,
    description: 'The user as they are now',
  })
  @Refuses({ 400: '`validation_failed`: such as a time zone that does not exist' })
  async change(@CurrentUser() user: AccountUser, @JsonBody() changes: ProfileChanges): Promise<ProfileView> {
    return profileView(await this.changing.execute(user, changes), this.clock.now());
  }
}
