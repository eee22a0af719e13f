import type { ControlCommand, Ledger } from '@evenkeel/facilitator';
import { Program } from './program.fixture';

/** The development facilitator in a process of its own, so that killing a gateway costs it no memory. */
export class FacilitatorProgram {
  private constructor(readonly url: string) {}

  static async start(): Promise<FacilitatorProgram> {
    const program = Program.start('tools/facilitator/src/main.ts', {
      FACILITATOR_PORT: '0',
      FACILITATOR_CONTROL: 'on',
      // Short ones confirm a transfer soon.
      FACILITATOR_BLOCK_MS: '200',
    });
    return new FacilitatorProgram((await program.ready()).url);
  }

  get rpcUrl(): string {
    return `${this.url}/rpc`;
  }

  async control(command: ControlCommand): Promise<void> {
    const response = await fetch(`${this.url}/control`, { method: 'POST', body: JSON.stringify(command) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Calls and settlements; with a nonce only those of one payment. */
  async ledger(nonce?: string): Promise<Ledger> {
    const query = nonce === undefined ? '' : `?nonce=${nonce}`;
    return (await (await fetch(`${this.url}/ledger${query}`)).json()) as Ledger;
  }
}
