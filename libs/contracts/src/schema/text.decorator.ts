import { Transform } from 'class-transformer';
import { IsArray, IsString, ValidateBy } from 'class-validator';
import { compose } from './compose';
import type { CharacterRange } from './json-schema';

/**
 * Length as JSON Schema counts it: code points. The length decorators of class-validator leave out variation selectors,
 * so that they would disagree with the published schema.
 */
export function characterCount(text: string): number {
  let surrogatePairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      surrogatePairs++;
      i++;
    }
  }
  return text.length - surrogatePairs;
}

/** At most so many characters. */
export function MaxCharacters(maximum: number): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && characterCount(text) <= maximum;
  return ValidateBy({ name: 'maxCharacters', constraints: [maximum], validator: { validate } });
}

/** A string whose length counts without the white space around it; it arrives trimmed. */
export function TrimmedText(minimum: number, maximum: number): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && hasTrimmedLength(text, { minimum, maximum });
  const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);
  return compose(
    IsString(),
    ValidateBy({ name: 'trimmedLength', constraints: [minimum, maximum], validator: { validate } }),
    Transform(trim),
  );
}

/** The rule behind `TrimmedText` and the keyword `trimmedLength`. */
export function hasTrimmedLength(text: string, { minimum, maximum }: CharacterRange): boolean {
  const trimmed = text.trim();
  // A character is one or two UTF-16 units: most texts need no counting.
  if (trimmed.length < minimum || trimmed.length > 2 * maximum) return false;
  if (trimmed.length >= 2 * minimum && trimmed.length <= maximum) return true;
  const count = characterCount(trimmed);
  return count >= minimum && count <= maximum;
}

/** A list of strings. */
export function Strings(): PropertyDecorator {
  return compose(IsArray(), IsString({ each: true }));
}
