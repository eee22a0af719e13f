import { DomainError } from '@evenkeel/kernel';
import fc from 'fast-check';
import { receiveFile } from './receive-file';

const TYPE = 'multipart/form-data; boundary=x';
const HEAD = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
const part = (content: string, head = HEAD) => `--x\r\n${head}\r\n\r\n${content}\r\n`;
const received = (form: string, type = TYPE) => receiveFile(Buffer.from(form, 'latin1'), type).toString('latin1');
const NOTE = part('1', 'Content-Disposition: form-data; name="note"');

it.each([
  ['another field beside it', `${NOTE}${part('a,b\r\n')}--x--\r\n`],
  ['text before and behind', `\r\nhello\r\n${part('a,b\r\n')}--x--\r\nbye`],
  ['spaces and a type', `--x \t\r\ncontent-type: text/csv\r\n${HEAD.toLowerCase()}\r\n\r\na,b\r\n\r\n--x--`],
])('takes a file with %s', (_, form) => expect(received(form)).toBe('a,b\r\n'));

it('takes a boundary in quotes, and keeps every byte', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
  const content = `${bytes}\r\n--y\r\n-x${bytes}--x`;
  expect(received(`${part(content)}--x--`, 'multipart/form-data; charset=utf-8; boundary="x"')).toBe(content);
});

it.each([
  ['no boundary', 'a,b'],
  ['no end', `${part('a,b')}`],
  ['a part without an end of its head', `--x\r\n${HEAD}\r\n--x--`],
  ['a head that never ends', `--x\r\n${HEAD}; ${'x'.repeat(9_000)}\r\n\r\na\r\n--x--`],
  ['too many parts', `${part('a').repeat(13)}--x--`],
])('refuses %s', (_, form) => {
  expect(() => received(form)).toThrow('The body is not the form that its Content-Type announces.');
});

it('says at once of any bytes what they are', () => {
  const piece = fc.constantFrom(
    '--x',
    '\r\n',
    '\r',
    '\n',
    '--',
    '--x--',
    '\r\n--x',
    '\r\n--x--\r\n',
    '\r\n\r\n',
    ': ',
    'abc',
    '\0',
    '--y',
    HEAD,
    'Content-Disposition: form-data; name="file"',
    'Content-Type: text/plain',
    'x'.repeat(9_000),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.boolean(), (pieces, begins) => {
      const form = (begins ? part('a') : '') + pieces.join('');
      try {
        expect(form).toContain(received(form));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }),
    { numRuns: sized(2_000, 50_000) },
  );
});
