import { userInfo } from 'node:os';
import { IsOptional, MaxLength } from 'class-validator';
import { loadConfig, type Environment } from '../config/load-config';

class OperatorConfig {
  @IsOptional() @MaxLength(200) OPERATOR?: string;
}

/**
 * Who gives a command: the variable OPERATOR, else the user of the system.
 * @throws InvalidConfig
 */
export function operatorOf(env: Environment): string {
  return loadConfig(OperatorConfig, env).OPERATOR ?? systemUser();
}

/** In a container the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
