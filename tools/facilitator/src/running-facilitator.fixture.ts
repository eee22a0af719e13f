import { ManualClock } from '@evenkeel/kernel';
import { base, noon } from './payment.fixture';
import { type RunningFacilitator, startFacilitator } from './start-facilitator';

export interface Reached {
  status: number;
  body: Record<string, unknown>;
}

/** A facilitator at noon, whose clock moves only when a test moves it. */
export class FacilitatorAtNoon {
  private constructor(
    readonly running: RunningFacilitator,
    readonly clock: ManualClock,
  ) {}

  static async start(): Promise<FacilitatorAtNoon> {
    const clock = new ManualClock(noon);
    return new FacilitatorAtNoon(await startFacilitator({ port: 0, chain: base, control: true, clock }), clock);
  }

  verify(body: unknown): Promise<Reached> {
    return this.post('/verify', body);
  }

  settle(body: unknown): Promise<Reached> {
    return this.post('/settle', body);
  }

  async get(path: string): Promise<Reached> {
    const response = await fetch(this.running.url + path);
    return { status: response.status, body: (await response.json()) as Reached['body'] };
  }

  async post(path: string, body: unknown, signal?: AbortSignal): Promise<Reached> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.running.url + path, { method: 'POST', body: text, signal });
    return { status: response.status, body: (await response.json()) as Reached['body'] };
  }
}
