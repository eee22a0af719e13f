import { badQuery, pointerTo, ValidationFailed, type ValidationIssue } from '@evenkeel/platform/validation';
import { applyDecorators, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';

interface Member {
  name: string;
  required: boolean;
}

const MEMBERS = Symbol('the members of a query');

/** The class of a query; `check` refuses what its members do not mean together. */
interface Query {
  check?(): void;
}

/**
 * One member of the query of a route: its schema and description in OpenAPI, and what its text means.
 * @param read throws ValidationFailed for a text that is no value
 */
export function QueryMember(
  schema: object,
  description: string,
  read: (name: string, text: string) => unknown = (_, text) => text,
  required = false,
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, schema, description, required } as ApiPropertyOptions),
    Transform(({ key, value }: { key: string; value: string }) => read(key, value)),
    (target: object, name: string | symbol) => {
      Reflect.defineMetadata(MEMBERS, [...membersOf(target), { name: String(name), required }], target);
    },
  );
}

function membersOf(prototype: object): readonly Member[] {
  return (Reflect.getMetadata(MEMBERS, prototype) as readonly Member[] | undefined) ?? [];
}

/** Makes `@Query() query: SomeQuery` an instance of this class. */
export class QueryPipe implements PipeTransform<unknown> {
  /** @throws ValidationFailed also for a member that is not known, and for one that is there twice */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'query') return value;
    const texts = value as Readonly<Record<string, unknown>>;
    const members = membersOf(metatype!.prototype as object);
    const issues = Object.entries(texts).flatMap(([name, text]): ValidationIssue[] => {
      const path = pointerTo([name]);
      const isKnown = members.some((member) => member.name === name);
      if (!isKnown) return [{ path, code: 'unknown_property', message: 'is not known here' }];
      return typeof text === 'string' ? [] : [{ path, code: 'conflict', message: 'must be there once' }];
    });
    if (issues.length > 0) throw new ValidationFailed(issues);
    const missing = members.find(({ name, required }) => required && texts[name] === undefined);
    if (missing) throw badQuery(missing.name, 'required', 'is required');
    const query = plainToInstance(metatype as new () => Query, texts);
    query.check?.();
    return query;
  }
}
