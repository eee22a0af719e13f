import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@evenkeel/platform/testing';
import { SMTPServer } from 'smtp-server';

/** A mail server that wants a login, and keeps the tokens of what it gets. */
export class MailTokens {
  readonly tokens: string[] = [];
  private readonly server = this.newServer();

  private constructor(private readonly login: { user: string; password: string }) {}

  static async start(login: { user: string; password: string }): Promise<MailTokens> {
    const mails = new MailTokens(login);
    mails.server.listen(0, '127.0.0.1');
    await once(mails.server.server, 'listening');
    return mails;
  }

  private newServer(): SMTPServer {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      closeTimeout: 1,
      onAuth: (auth, _session, done) => {
        const { user, password } = this.login;
        if (auth.username === user && auth.password === password) return done(null, { user });
        // As talkative as servers are.
        done(new Error(`${auth.username} with ${auth.password} is unknown`));
      },
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('refused') ? new Error(`<${address}>: no such user`) : undefined),
      onData: (stream, _session, done) => {
        void text(stream).then((mail) => {
          this.keep(mail);
          done();
        });
      },
    });
    return server.on('error', () => undefined);
  }

  private keep(mail: string): void {
    const [token] = /hr[vp]_[\w-]{43}/.exec(mail.replace(/=\r\n/g, '')) ?? [];
    if (token !== undefined) this.tokens.push(token);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** The token of the mail that follows those before it. */
  async next(kind: 'hrv_' | 'hrp_', after = 0): Promise<string> {
    const found = () => this.tokens.filter((token) => token.startsWith(kind))[after] ?? false;
    return (await eventually(found, { withinMs: 30_000 })) as string;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}
