import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig, type CrashPoint } from './agent-gateway.config';

/** The named steps between which a process may die; tests make it die there (`CRASH_AT`). */
@Injectable()
export class CrashPoints {
  constructor(private readonly config: AgentGatewayConfig) {}

  pass(point: CrashPoint): void {
    if (this.config.CRASH_AT === point) process.kill(process.pid, 'SIGKILL');
  }
}
