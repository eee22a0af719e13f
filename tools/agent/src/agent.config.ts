import { IsString } from 'class-validator';

/** Everything the agent reads from the environment. */
export class AgentConfig {
  /** Where the wallet key is kept. */
  @IsString() DATA_DIR = '.data';
}
