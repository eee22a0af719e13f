import { userInfo } from 'node:os';
import { IsOptional, MaxLength } from 'class-validator';

/** Who gives a command. */
export class OperatorConfig {
  @IsOptional() @MaxLength(200) OPERATOR?: string;

  get operator(): string {
    return this.OPERATOR ?? systemUser();
  }
}

/** In a container the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
