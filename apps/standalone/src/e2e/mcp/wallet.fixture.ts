import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { CallParams, Line, Result } from './lines.fixture';

const PROGRAM = join(__dirname, '../../../../../tools/buyers/wallets/main.mjs');

export interface WalletOptions {
  /** Of the service. */
  url: string;
  line?: Line;
  /** The owner's answer to its question; true by default. */
  approves?: boolean;
  /** The most it may pay. */
  maxAtomic?: string;
}

/** The result of a wallet, and the offers that it has shown its owner before. */
interface Purchase<R = Result> {
  result: R;
  offers: { amount?: string; maxAmountRequired?: string; network: string }[] | null;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** The result of mppx over HTTP. */
export interface HttpAnswer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

/** A published wallet in a process of its own (tools/buyers/wallets), with a new key each time it is opened. */
export class Wallet {
  /** Of the key that it was opened with last. */
  address = '';
  private readonly answers = new Map<number, (answer: Answer) => void>();
  private calls = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (answer: Answer) => this.answers.get(answer.id)?.(answer));
    child.once('exit', () => this.answers.forEach((end, id) => end({ id, error: 'The wallet has ended.' })));
  }

  /** @param packages folder of `fetchedPackages` */
  static async start(name: string, packages: string): Promise<Wallet> {
    const child = fork(PROGRAM, [name, packages], { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let printed = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The wallet ${name} ended:\n${printed}`)));
    ended.catch(() => undefined);
    await Promise.race([once(child, 'message'), ended]);
    return new Wallet(child);
  }

  async open(options: WalletOptions): Promise<void> {
    const privateKey = generatePrivateKey();
    this.address = privateKeyToAddress(privateKey);
    await this.ask('open', { ...options, privateKey });
  }

  async toolNames(): Promise<string[]> {
    return (await this.ask<{ name: string }[]>('listTools')).map(({ name }) => name);
  }

  call({ name, arguments: input }: CallParams): Promise<Purchase> {
    return this.ask('call', name, input);
  }

  /** Over HTTP, for one that pays there. */
  post(path: string, body: object): Promise<Purchase<HttpAnswer>> {
    return this.ask('post', path, body);
  }

  /** Its last paid request once more, byte for byte. */
  repeat<R = Result>(): Promise<R> {
    return this.ask('repeat');
  }

  /** It closes what it has open, and is gone. */
  async end(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await gone;
  }

  private ask<T>(...message: [method: string, ...given: unknown[]]): Promise<T> {
    const id = ++this.calls;
    return new Promise<T>((resolve, reject) => {
      this.answers.set(id, ({ value, error }) => {
        this.answers.delete(id);
        if (error === undefined) resolve(value as T);
        else reject(new Error(error));
      });
      this.child.send([id, ...message]);
    });
  }
}
