import type { ControlCommand, Ledger } from '@evenkeel/facilitator';
import { Program } from '@evenkeel/services/programs';

/** The development facilitator in a process of its own, so that killing a gateway costs it no memory. */
export class FacilitatorProgram {
  /** Of a gateway that settles here, and reads the chain. */
  readonly settings: { FACILITATOR_URL: string; X402_RPC_URL: string };

  private constructor(readonly url: string) {
    this.settings = { FACILITATOR_URL: url, X402_RPC_URL: `${url}/rpc` };
  }

  static async start(): Promise<FacilitatorProgram> {
    // Short blocks confirm a transfer soon.
    const env = { FACILITATOR_PORT: '0', FACILITATOR_CONTROL: 'on', FACILITATOR_BLOCK_MS: '200' };
    const program = Program.start('tools/facilitator/src/main.ts', env);
    return new FacilitatorProgram((await program.ready()).url);
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
