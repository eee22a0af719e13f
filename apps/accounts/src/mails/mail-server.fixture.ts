import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { SMTPServer } from 'smtp-server';

/** A mail as it arrived, with its parts decoded. */
export interface ReceivedMail {
  /** Of the envelope. */
  to: string;
  headers: Record<string, string>;
  text: string;
  html: string;
  /** Everything behind `#token=` in its text; undefined without a link. */
  token: string | undefined;
  link: string | undefined;
}

/** A real SMTP server. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Refuses recipients with this code while it is set, and names them as servers do. */
  refusal: number | undefined;
  private readonly server: SMTPServer;

  private constructor() {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        if (this.refusal === undefined) return done();
        done(Object.assign(new Error(`<${address}>: no such user`), { responseCode: this.refusal }));
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          this.received.push(readMail(envelope.rcptTo[0]!.address, Buffer.concat(chunks).toString()));
          done();
        });
      },
    });
  }

  /** @param port a free one unless given */
  static async start(port = 0): Promise<MailServer> {
    const mails = new MailServer();
    mails.server.on('error', () => undefined);
    mails.server.listen(port, '127.0.0.1');
    await once(mails.server.server, 'listening');
    return mails;
  }

  /** For all tests of a suite. */
  static forSuite(): MailServer {
    const mails = Object.create(MailServer.prototype) as MailServer;
    beforeAll(async () => Object.assign(mails, await MailServer.start()));
    afterAll(() => mails.stop());
    return mails;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  to(email: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to === email);
  }

  /** The mail that follows those which an address has got already. */
  async next(email: string, after = 0): Promise<ReceivedMail> {
    return eventually(() => this.to(email)[after] ?? false) as Promise<ReceivedMail>;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

/** Accepts connections and says nothing. */
export class HungServer {
  readonly sockets: Socket[] = [];
  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.sockets.push(socket.on('error', () => undefined)));
  }

  static async start(port: number): Promise<HungServer> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new HungServer(server);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function readMail(to: string, source: string): ReceivedMail {
  const { headers, body } = readPart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type']!)![1]!;
  const parts = body.split(`--${boundary}`).slice(1, -1);
  const [text, html] = parts.map((part) => readPart(part.replace(/^\r\n/, '')).body);
  const [link, token] = /\S+#token=(\S+)/.exec(text!) ?? [];
  return { to, headers, text: text!, html: html!, link, token };
}

function readPart(source: string): { headers: Record<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const lines = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    lines.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = source.slice(end + 4);
  return { headers, body: headers['content-transfer-encoding'] === 'quoted-printable' ? unquoted(body) : body };
}

function unquoted(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
