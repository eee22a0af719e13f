import { ask, jsonRequest, type Reply } from '@evenkeel/platform/testing/service';

/** The routes of accounts as a program of somebody asks them. */
export class AccountsClient {
  token = '';

  constructor(private readonly url: string) {}

  /** A JSON request, or a form. */
  send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> {
    const isForm = body instanceof FormData;
    const token = this.token === '' ? undefined : this.token;
    const request = jsonRequest(method, { token, headers, body: isForm ? undefined : body });
    return ask(`${this.url}/v1/${path}`, { ...request, ...(isForm && { body }) });
  }

  /** Somebody new, who is signed in from now on. */
  async register(person: { email: string; password: string } & Record<string, unknown>): Promise<Reply> {
    const reply = await this.send('POST', 'auth/register', person);
    this.token = reply.body['accessToken'] as string;
    return reply;
  }
}
