import 'reflect-metadata';
import type { ClassConstructor } from 'class-transformer';

/** Shorter parts of an address are words of its path; a shorter text is no key. */
const KEY_CHARACTERS_MIN = 12;
/** A shorter password would be found in every other word. */
const PASSWORD_CHARACTERS_MIN = 4;

const SECRETS = Symbol('names of the settings that hold a secret');

/** A setting that holds a secret: `loadConfig` redacts it in every log and output. */
export function Secret(): PropertyDecorator {
  return (target, property) => Reflect.defineMetadata(SECRETS, [...namesIn(target), String(property)], target);
}

/** Names of the settings of a class, inherited ones too, that hold a secret. */
export function secretSettings(type: ClassConstructor<object>): string[] {
  return namesIn(type.prototype as object);
}

function namesIn(prototype: object): string[] {
  return (Reflect.getMetadata(SECRETS, prototype) ?? []) as string[];
}

/**
 * The secret parts of the value of such a setting: of an address user, password, path and query as far as they may be
 * keys (its host may be named), of a list each of its keys, of a key in lines each line.
 */
export function secretsIn(value: string): string[] {
  const isAddress = value.includes('://') && URL.canParse(value);
  // As it is written, and as a client of the address spells it.
  const parts = isAddress ? [value, new URL(value).href].flatMap(partsOfAddress) : partsOfText(value);
  return [...new Set(parts.flatMap((part) => [part, encodeURIComponent(part), decoded(part)]))];
}

const ADDRESS = /^(\w+):\/\/(?:([^/?#]*)@)?[^/?#]*(.*)$/;

function partsOfAddress(address: string): string[] {
  const [, protocol = '', login = '', afterHost = ''] = ADDRESS.exec(address) ?? [];
  // Of a database the path is its name.
  const target = protocol.startsWith('http') ? afterHost : afterHost.replace(/^[^?]*/, '');
  const [user = '', ...rest] = login.split(':');
  const password = rest.join(':');
  const keys = [target, user, ...target.split(/[/?&=#]/)].filter((part) => part.length >= KEY_CHARACTERS_MIN);
  if (password.length >= PASSWORD_CHARACTERS_MIN) {
    keys.push(password, Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64'));
  }
  return login !== '' || target.length > 1 ? [address, ...keys] : keys;
}

function partsOfText(value: string): string[] {
  const words = value.split(/[\s,]|\\n/).map((word) => word.slice(word.indexOf(':') + 1));
  return [value, ...words].filter((part) => part.length >= KEY_CHARACTERS_MIN);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const CENSORED = '[redacted]';
/** A token made of a secret is valid for minutes, and the error text of another service may repeat it. */
const BEARER = 'Bearer ';

const secrets = new Set<string>();
let forms: readonly string[] = [];
let pattern = patternOf(forms);

/** From now on logs and commands of this process do not show these texts. */
export function hideFromOutput(texts: Iterable<string>): void {
  const before = secrets.size;
  for (const text of texts) secrets.add(text);
  if (secrets.size === before) return;
  forms = formsOf(secrets);
  pattern = patternOf(forms);
}

/** The text without the secrets that the settings of this process hold, also where they are escaped for JSON or a URL. */
export function redacted(text: string): string {
  // Hardly any text has one, and looking for each takes half as long as the pattern.
  const hasOne = text.includes(BEARER) || forms.some((form) => text.includes(form));
  return hasOne ? text.replace(pattern, CENSORED) : text;
}

/** As they are and as JSON has them; longest first: a secret within another one must not leave the rest of it readable. */
function formsOf(texts: ReadonlySet<string>): string[] {
  const each = new Set([...texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  return [...each].sort((one, other) => other.length - one.length);
}

function patternOf(longestFirst: readonly string[]): RegExp {
  const escaped = longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp([...escaped, `${BEARER}[\\w.~+/=-]+`].join('|'), 'g');
}
