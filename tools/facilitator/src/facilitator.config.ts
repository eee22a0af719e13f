import { CHAINS } from '@evenkeel/contracts';
import { IsPort, IsSwitch } from '@evenkeel/platform/config';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Min, NotEquals } from 'class-validator';
import type { FacilitatorOptions } from './start-facilitator';

/** Everything the facilitator process reads from the environment. */
export class FacilitatorConfig {
  @NotEquals('production', { message: 'NODE_ENV must not be production: this facilitator moves no real money' })
  NODE_ENV = 'development';

  /** A name or address of this machine, which is part of its own address too: of a container the name that others call it by. */
  @IsString() FACILITATOR_HOST = '127.0.0.1';
  @IsPort() FACILITATOR_PORT = 8402;

  /** Opens the addresses that only tests need. */
  @IsSwitch() FACILITATOR_CONTROL = false;

  /** Time between blocks. */
  @Type(() => Number) @IsInt() @Min(10) FACILITATOR_BLOCK_MS = 2_000;

  @IsIn(CHAINS.map(({ caip2 }) => caip2)) X402_NETWORK = 'eip155:8453';

  get options(): FacilitatorOptions {
    return {
      host: this.FACILITATOR_HOST,
      port: this.FACILITATOR_PORT,
      chain: CHAINS.find(({ caip2 }) => caip2 === this.X402_NETWORK)!,
      control: this.FACILITATOR_CONTROL,
      blockMs: this.FACILITATOR_BLOCK_MS,
    };
  }
}
