import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { InvalidConfig } from '@evenkeel/platform/config';
import type { OnApplicationShutdown } from '@nestjs/common';
import { dictionary } from '@zxcvbn-ts/language-common';
import { normalizedPassword } from './new-password';

/** Passwords that were published elsewhere: what is on such a list is tried first by those who guess. */
export abstract class BreachedPasswords {
  /** @param password in its normal form */
  abstract has(password: string): Promise<boolean>;
}

interface Line {
  start: number;
  hash: string;
  count: number;
}

/** Covers the rest of one line and the whole of the next: 40 digits, a colon, a count and a line break each. */
const READ_BYTES = 256;
const LINE = /^([0-9A-F]{40}):(\d+)\r?$/i;

/** A file of `SHA1:count` lines in order of the hashes, as Pwned Passwords is published. It is searched on disk. */
export class PasswordFile extends BreachedPasswords implements OnApplicationShutdown {
  private constructor(
    private readonly file: FileHandle,
    private readonly size: number,
    private readonly threshold: number,
  ) {
    super();
  }

  /**
   * @param threshold the least count that matters
   * @throws InvalidConfig when there is no such file, or its first line has another form
   */
  static async open(path: string, threshold: number): Promise<PasswordFile> {
    const file = await open(path).catch(() => null);
    if (!file) throw new InvalidConfig(['BREACH_LIST_FILE cannot be read']);
    const list = new PasswordFile(file, (await file.stat()).size, threshold);
    if (await list.lineFrom(0)) return list;
    await file.close();
    throw new InvalidConfig(['BREACH_LIST_FILE must have lines of SHA1:count, sorted']);
  }

  override async has(password: string): Promise<boolean> {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    // The line, if there is one, begins from `low` on and before `high`.
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = await this.lineFrom(middle);
      if (line?.hash === hash) return line.count >= this.threshold;
      if (line && line.start < high && line.hash < hash) low = line.start + 1;
      else high = middle;
    }
    return false;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.file.close();
  }

  /** The first line that begins at an offset of the file or after it. */
  private async lineFrom(place: number): Promise<Line | null> {
    const from = Math.max(0, place - 1);
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, from);
    const text = buffer.toString('latin1', 0, bytesRead);
    const begins = place === 0 ? 0 : text.indexOf('\n') + 1;
    if (place > 0 && begins === 0) return null;
    const [written = ''] = text.slice(begins).split('\n');
    const [, hash, count] = LINE.exec(written) ?? [];
    return hash === undefined ? null : { start: from + begins, hash: hash.toUpperCase(), count: Number(count) };
  }
}

/** The bundled list: some eighteen thousand of the most common ones, in lower case. */
export class CommonPasswords extends BreachedPasswords {
  private readonly list = new Set(
    dictionary['passwords-common'].map((password) => normalizedPassword(password).toLowerCase()),
  );

  override async has(password: string): Promise<boolean> {
    return this.list.has(password.toLowerCase());
  }
}
