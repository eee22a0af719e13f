import { Readable } from 'node:stream';
import { crc32, createGunzip, inflateRawSync } from 'node:zlib';
import { expectAtMost, UnreadableFile, type ReadLimits } from './unreadable-file';

/** Signatures of a zip, and how long its end can be. */
const [FILE, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50] as const;
const [FILE_BYTES, ENTRY_BYTES, END_BYTES] = [30, 46, 22] as const;
const LONGEST_END = END_BYTES + 0xffff;
const [STORED, DEFLATED] = [0, 8] as const;
const [ENCRYPTED, UTF8] = [0x1, 0x800] as const;

/** Some archivers put files of their own beside those of the person. */
const OF_ARCHIVERS = /(^|\/)(__MACOSX\/.*|\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$/i;

interface Unpacked {
  /** By path, with `/` between folders. */
  readonly files: Map<string, Uint8Array>;
  /** Paths of those that nobody wants, or of a second file of one path, that hold something. */
  readonly others: readonly string[];
}

/**
 * The wanted files of a zip. They are where the directory at its end says, as for every program that unpacks; what comes out is
 * counted while it does, as the sizes that a zip states prove nothing.
 * @throws UnreadableFile
 */
export function unzipped(bytes: Uint8Array, limits: ReadLimits, isWanted: (path: string) => boolean): Unpacked {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  const others: string[] = [];
  let left = limits.unpackedBytes;
  try {
    for (const entry of entriesOf(zip, limits)) {
      if (entry.path.endsWith('/') || OF_ARCHIVERS.test(entry.path)) continue;
      if (!isWanted(entry.path) || files.has(entry.path)) {
        if (entry.size > 0) others.push(entry.path);
      } else {
        const content = contentOf(zip, entry, left);
        left -= content.length;
        files.set(entry.path, content);
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    if (isTooLarge(error)) throw tooLarge('zip', limits);
    throw new UnreadableFile('zip_broken', 'The zip cannot be unpacked: it is damaged.');
  }
  return { files, others };
}

interface Entry {
  readonly path: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  readonly at: number;
}

/** @see APPNOTE.TXT, 4.3.12 and 4.3.16 */
function* entriesOf(zip: Buffer, limits: ReadLimits): Generator<Entry> {
  const end = endOf(zip);
  const count = zip.readUInt16LE(end + 10);
  expectAtMost(limits.filesInZip, count, 'unpacked_too_large', 'files');
  // Some archivers write before the first file, and do not count it.
  const before = end - zip.readUInt32LE(end + 12) - zip.readUInt32LE(end + 16);
  let at = before + zip.readUInt32LE(end + 16);
  for (let place = 0; place < count; place++) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error('no entry of a directory');
    const [nameBytes, ...moreBytes] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const flags = zip.readUInt16LE(at + 8);
    const name = zip.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes!);
    yield {
      path: name.toString(flags & UTF8 || isUtf8(name) ? 'utf8' : 'latin1').replaceAll('\\', '/'),
      flags,
      method: zip.readUInt16LE(at + 10),
      crc: zip.readUInt32LE(at + 16),
      size: zip.readUInt32LE(at + 20),
      at: before + zip.readUInt32LE(at + 42),
    };
    at += ENTRY_BYTES + nameBytes! + moreBytes.reduce((sum, length) => sum + length, 0);
  }
}

function endOf(zip: Buffer): number {
  for (let at = zip.length - END_BYTES; at >= 0 && at >= zip.length - LONGEST_END; at--) {
    if (zip.readUInt32LE(at) === END && at + END_BYTES + zip.readUInt16LE(at + 20) <= zip.length) return at;
  }
  throw new UnreadableFile('zip_broken', 'The zip is cut short.');
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** @param most bytes that may come out */
function contentOf(zip: Buffer, { path, flags, method, crc, size, at }: Entry, most: number): Uint8Array {
  if (flags & ENCRYPTED) throw new UnreadableFile('zip_broken', 'The zip is encrypted: pack it without a password.');
  if (method !== STORED && method !== DEFLATED) {
    const sentence = `The zip packs ${path.slice(0, 100)} in a way that cannot be read: pack it as a plain zip.`;
    throw new UnreadableFile('zip_broken', sentence);
  }
  if (zip.readUInt32LE(at) !== FILE) throw new Error('no file');
  const from = at + FILE_BYTES + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  if (from + size > zip.length) throw new Error('cut short');
  const packed = zip.subarray(from, from + size);
  const content = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  if (content.length > most) throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
  if (crc32(content) !== crc) throw new Error('damaged');
  return content;
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** @throws UnreadableFile */
export async function gunzipped(bytes: Uint8Array, limits: ReadLimits): Promise<Uint8Array> {
  // The system gives the memory when it is written to: there are no parts to join, which would be twice of it.
  const unpacked = Buffer.allocUnsafeSlow(limits.unpackedBytes);
  let length = 0;
  try {
    for await (const part of Readable.from([bytes]).pipe(createGunzip()) as AsyncIterable<Buffer>) {
      if (length + part.length > limits.unpackedBytes) throw tooLarge('gzip', limits);
      length += part.copy(unpacked, length);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile('gzip_broken', 'The gzip is damaged or cut short.');
  }
  return unpacked.subarray(0, length);
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(kind: string, { unpackedBytes }: ReadLimits): UnreadableFile {
  return new UnreadableFile('unpacked_too_large', `The ${kind} unpacks to more than ${unpackedBytes / 2 ** 20} MiB.`);
}
