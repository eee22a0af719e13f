export type Fetch = (address: string, init?: RequestInit) => Promise<Response>;

const PATIENCE_MS = 15_000;

/** A service as anybody sees it. */
export class Website {
  /** @param baseUrl without a slash at its end */
  constructor(
    readonly baseUrl: string,
    private readonly request: Fetch = fetch,
  ) {}

  /** @throws Unreadable */
  async json(path: string): Promise<unknown> {
    return parsed(path, await this.text(path));
  }

  /** @throws Unreadable */
  async text(path: string): Promise<string> {
    const { status, body } = await this.send('GET', path);
    if (status !== 200) throw new Unreadable(`GET ${path} answered ${status}`);
    return body;
  }

  /** The offer of one endpoint, as a buyer meets it. */
  async offer(method: 'GET' | 'POST', path: string): Promise<{ body: unknown; header: unknown }> {
    const { status, body, headers } = await this.send(method, path);
    const header = headers.get('payment-required');
    if (status !== 402 || header === null)
      throw new Unreadable(`${method} ${path} answered ${status}, not 402 with an offer`);
    const decoded = Buffer.from(header, 'base64').toString();
    return { body: parsed(path, body), header: parsed(path, decoded) };
  }

  /** One message to the tools. */
  async rpc(path: string, method: string): Promise<unknown> {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const { status, body } = await this.send('POST', path, message);
    if (status !== 200) throw new Unreadable(`${method} at ${path} answered ${status}`);
    return (parsed(path, body) as { result?: unknown }).result;
  }

  private async send(method: string, path: string, body?: string) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream, */*' };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const response = await this.request(this.baseUrl + path, { method, headers, signal, ...(body && { body }) });
      return { status: response.status, headers: response.headers, body: await response.text() };
    } catch (error) {
      const { message, cause } = error as Error;
      throw new Unreadable(`${method} ${path} could not be read: ${(cause as Error | undefined)?.message ?? message}`);
    }
  }
}

/** A document is not there, or not what it should be. */
export class Unreadable extends Error {}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Unreadable(`${path} is not JSON`);
  }
}
