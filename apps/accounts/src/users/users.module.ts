import { Module } from '@nestjs/common';
import { ChangeProfile } from './change-profile';
import { ProfileController } from './profile.controller';

/** Who people are, and what they say of themselves. */
@Module({ controllers: [ProfileController], providers: [ChangeProfile] })
export class UsersModule {}
