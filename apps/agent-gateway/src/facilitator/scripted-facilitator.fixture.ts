import { StubFacilitator, type HeardRequest } from './stub-facilitator.fixture';

interface Spoken {
  status: number;
  body: Record<string, unknown>;
}

/** Replaces the answer of a settle; called with the true answer. */
export type SettleScript = (faithful: Spoken) => Spoken;

/** Passes every call on to a facilitator that does the work, and answers settles as the test says. */
export class ScriptedFacilitator {
  private readonly stub = new StubFacilitator();
  private target = '';
  /** Null is what happened. */
  private script: SettleScript | null = null;
  /** False: settles are answered, and no money moves. */
  private works = true;

  async start(): Promise<string> {
    this.stub.behave = (request, response) =>
      void this.answer(request).then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      );
    return this.stub.start();
  }

  inFrontOf(url: string): void {
    this.target = url;
  }

  /** The money moves, and this is said about it. */
  settlesBut(script: SettleScript): void {
    Object.assign(this, { script, works: true });
  }

  /** Nothing moves, and this is said about it. */
  onlySays(status: number, body: Record<string, unknown>): void {
    Object.assign(this, { script: () => ({ status, body }), works: false });
  }

  isFaithful(): void {
    Object.assign(this, { script: null, works: true });
  }

  close(): Promise<void> {
    return this.stub.close();
  }

  private async answer(request: HeardRequest): Promise<Spoken> {
    const script = request.path === '/settle' ? this.script : null;
    const faithful = script && !this.works ? { status: 200, body: {} } : await this.passOn(request);
    return script ? script(faithful) : faithful;
  }

  private async passOn({ method, path, body }: HeardRequest): Promise<Spoken> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.target + path, { method, headers, ...(method === 'POST' && { body }) });
    return { status: response.status, body: (await response.json()) as Spoken['body'] };
  }
}
