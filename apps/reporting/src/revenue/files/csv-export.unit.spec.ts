import fc from 'fast-check';
import { csvLine } from './csv-export';

it.each([
  [['a,b', 'say "yes"', 'two\nlines'], '"a,b","say ""yes""","two\nlines"\r\n'],
  [['', null], ',\r\n'],
  [['=HYPERLINK("http://x","y")'], `"'=HYPERLINK(""http://x"",""y"")"\r\n`],
  [['0x857b', '2026-01-31', '0.050000', 'a=b'], '0x857b,2026-01-31,0.050000,a=b\r\n'],
  [['-0.000400', '-7', '-2+3', '-1.5.0', '-'], "-0.000400,-7,'-2+3,'-1.5.0,'-\r\n"],
])('%j as a line of CSV', (values, line) => expect(csvLine(values)).toBe(line));

it('a line reads back as it was, but for the apostrophe that stops a formula', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...'a,"\r\n=+-@\t ;é') }), { minLength: 1 });
  fc.assert(
    fc.property(texts, (values) => {
      const fields = fieldsOf(csvLine(values));
      expect(fields.map((field, index) => (field === values[index] ? field : field.slice(1)))).toEqual(values);
      for (const field of fields) expect(field).not.toMatch(/^[=+\-@\t\r\n]/);
    }),
  );
});

/** The grammar of RFC 4180, letter by letter. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  let quoted = false;
  for (let index = 0; index < line.length; index++) {
    const letter = line[index]!;
    if (letter === '"' && quoted && line[index + 1] === '"') fields[fields.length - 1] += line[++index]!;
    else if (letter === '"') quoted = !quoted;
    else if (letter === ',' && !quoted) fields.push('');
    else if (letter === '\r' && !quoted) return fields;
    else fields[fields.length - 1] += letter;
  }
  throw new Error('a record without an end');
}
