import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Unzip, UnzipInflate, type AsyncFlateStreamHandler } from 'fflate';
import { expectAtMost, UnreadableFile, type ReadLimits } from './unreadable-file';

/** What a zip ends with, and how long its end can be. */
const END = 'PK\x05\x06';
const LONGEST_END = 22 + 0xffff;
/** Small pieces: one of them can grow a thousandfold before it is counted. */
const PIECE_BYTES = 16 * 1024;

/**
 * The wanted files of a zip, by path. What comes out is counted while it does: sizes that a zip states prove nothing.
 * @throws UnreadableFile
 */
export function unzipped(
  bytes: Uint8Array,
  limits: ReadLimits,
  isWanted: (path: string) => boolean,
): Map<string, Uint8Array> {
  if (!Buffer.from(bytes.subarray(-LONGEST_END)).includes(END)) {
    throw new UnreadableFile('zip_broken', 'The zip is cut short.');
  }
  const files = new Map<string, Uint8Array>();
  let unpacked = 0;
  let found = 0;
  const unzip = new Unzip((file) => {
    expectAtMost(limits.filesInZip, ++found, 'unpacked_too_large', 'files');
    if (!isWanted(file.name)) return;
    const parts: Uint8Array[] = [];
    const take: AsyncFlateStreamHandler = (error, data, final) => {
      if (error) throw error;
      unpacked += data.length;
      if (unpacked > limits.unpackedBytes) throw tooLarge('zip', limits);
      parts.push(data);
      if (final && !files.has(file.name)) files.set(file.name, Buffer.concat(parts));
    };
    // By its name: a function assigned where it is written would live long, and the parts with it.
    file.ondata = take;
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      unzip.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile('zip_broken', `The zip cannot be unpacked: ${(error as Error).message}.`);
  }
  return files;
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

function tooLarge(kind: string, { unpackedBytes }: ReadLimits): UnreadableFile {
  return new UnreadableFile('unpacked_too_large', `The ${kind} unpacks to more than ${unpackedBytes / 2 ** 20} MiB.`);
}
