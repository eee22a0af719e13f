import { Optional, TrimmedText } from '@evenkeel/contracts';
import { IsInt } from 'class-validator';
import { CompiledValidationPipe, StrictValidationPipe } from './index';

class ShelfBody {
  @TrimmedText(2, 9) name!: string;
  @Optional() @IsInt() height?: number;
}

const compiled = new CompiledValidationPipe(ShelfBody);
const strict = new StrictValidationPipe();
const raw = (text: string, contentType = 'application/json') => ({
  ...{ bytes: Buffer.from(text), contentType, contentEncoding: undefined },
});

it('gives a good body, trimmed', () => {
  expect(compiled.transform(raw('{"name": " top ", "height": 3}'))).toEqual({ name: 'top', height: 3 });
});

it.each([['{}'], ['{"name": "x"}'], ['{"name": "top", "depth": 1}'], ['{"name": "to\\u0000p"}'], ['['], ['[]'], ['7']])(
  'refuses %s as the pipe does that makes instances',
  (text) => {
    const errorOf = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    const expected = errorOf(() => strict.transform(raw(text), { type: 'body', metatype: ShelfBody }));
    expect(expected).toBeInstanceOf(Error);
    const error = errorOf(() => compiled.transform(raw(text)));
    expect(error).toEqual(expected);
    expect((error as { details?: unknown }).details).toEqual((expected as { details?: unknown }).details);
  },
);

it('refuses another type of content', () => {
  expect(() => compiled.transform(raw('{}', 'text/plain'))).toThrow('must be application/json');
});
