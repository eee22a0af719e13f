import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig, type CrashPoint } from './agent-gateway.config';

/** The named steps between which a process may die; tests make it die there (`CRASH_AT`). */
@Injectable()
export class CrashPoints extends ProcessCrash<CrashPoint> {
  constructor({ CRASH_AT }: AgentGatewayConfig) {
    super(CRASH_AT);
  }
}
