import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@evenkeel/platform/testing';
import { SMTPServer } from 'smtp-server';

/** A mail server that wants a login, and keeps the tokens of what it gets. */
export class MailTokens {
  readonly tokens: string[] = [];
  /** Addresses, one for each mail; a mail that arrives twice is counted once. */
  readonly recipients: string[] = [];
  private readonly seen = new Set<string>();
  private server = this.newServer();
  private isSilent = false;
  private port = 0;

  private constructor(private readonly login: { user: string; password: string }) {}

  static async start(login: { user: string; password: string }): Promise<MailTokens> {
    const mails = new MailTokens(login);
    await mails.restart();
    return mails;
  }

  private newServer(): SMTPServer {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      // Connections of a killed server end at once.
      closeTimeout: 1,
      onConnect: (_session, done) => this.isSilent || done(),
      onMailFrom: (_address, _session, done) => this.isSilent || done(),
      onAuth: (auth, _session, done) => {
        const { user, password } = this.login;
        if (auth.username === user && auth.password === password) return done(null, { user });
        // As talkative as servers are.
        done(new Error(`${auth.username} with ${auth.password} is unknown`));
      },
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('refused') ? new Error(`<${address}>: no such user`) : undefined),
      onData: (stream, { envelope }, done) => {
        void text(stream).then((mail) => {
          this.keep(mail, envelope.rcptTo[0]!.address);
          done();
        });
      },
    });
    return server.on('error', () => undefined);
  }

  private keep(mail: string, address: string): void {
    const [, id = ''] = /^message-id: (\S+)/im.exec(mail) ?? [];
    if (!this.seen.has(id)) this.recipients.push(address);
    this.seen.add(id);
    const [token] = /hr[vp]_[\w-]{43}/.exec(mail.replace(/=\r\n/g, '')) ?? [];
    if (token !== undefined) this.tokens.push(token);
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The token of the mail that follows those before it. */
  async next(kind: 'hrv_' | 'hrp_', after = 0): Promise<string> {
    const found = () => this.tokens.filter((token) => token.startsWith(kind))[after] ?? false;
    return (await eventually(found, { withinMs: 30_000 })) as string;
  }

  /** From now on it takes connections and says nothing. */
  hang(): void {
    this.isSilent = true;
  }

  async stop(): Promise<void> {
    if (this.server.server.listening) await new Promise<void>((resolve) => this.server.close(resolve));
  }

  /** After it was stopped, or was silent. */
  async restart(): Promise<void> {
    await this.stop();
    this.isSilent = false;
    this.server = this.newServer();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
  }
}
