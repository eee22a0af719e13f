import { ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import type { FacilitatorProgram } from './facilitator-program.fixture';
import { Program } from './program.fixture';

/** Where the payments of these tests go. */
export const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** The same for every gateway of a test, as for replicas: one answers what another has stored. */
const ANSWER_KEYS = `e2e:${Buffer.alloc(32, 7).toString('base64')}`;
const RECEIPT_KEYS = `e2e:${Buffer.alloc(32, 9).toString('base64')}`;

export function gatewayDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
}

/** Settings of gateway and worker, with chain access through the facilitator unless `X402_RPC_URL` says otherwise. */
export function gatewayEnv(database: TestDatabase, facilitator: FacilitatorProgram): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    INTERNAL_PORT: '0',
    WORKER_INTERNAL_PORT: '0',
    PUBLIC_BASE_URL: 'http://localhost:3000',
    DATABASE_URL: database.url,
    FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: facilitator.rpcUrl,
    X402_PAY_TO: PAY_TO,
    ANSWER_KEYS,
    RECEIPT_KEYS,
    // All requests of a test come from one address.
    RATE_LIMIT_SCALE: '1000',
  };
}

export interface Gateway {
  url: string;
  program: Program;
}

export async function startGateway(env: NodeJS.ProcessEnv): Promise<Gateway> {
  const program = Program.start('apps/agent-gateway/src/main.ts', env);
  return { program, url: (await program.ready()).url };
}

export async function startWorker(env: NodeJS.ProcessEnv): Promise<Program> {
  const program = Program.start('apps/agent-gateway/src/worker.ts', env);
  await program.ready();
  return program;
}
