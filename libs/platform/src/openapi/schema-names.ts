import { nestedClass, type Class } from '@evenkeel/contracts';
import type { INestApplicationContext } from '@nestjs/common';
import { PARAMTYPES_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';

/** Where the decorators for OpenAPI keep what they say: of a handler or controller, and of the members of a class. */
const RESPONSES = 'swagger/apiResponse';
const PARAMETERS = 'swagger/apiParameters';
const MEMBERS = 'swagger/apiModelPropertiesArray';
const MEMBER = 'swagger/apiModelProperties';

interface Stated {
  type?: unknown;
}

/**
 * A schema has the name of its class. Of two classes with one name the document would show the last for both.
 * @param contracts classes whose schemas replace those with the same name
 * @throws Error when two classes of the document have one name
 */
export function assertOneClassAName(app: INestApplicationContext, contracts: readonly Class[]): void {
  const named = new Map<string, Class>();
  const visit = (stated: unknown): void => {
    const type = classOf(stated);
    if (!type) return;
    const known = named.get(type.name);
    if (known === type) return;
    if (known) throw new Error(`two classes of the OpenAPI document have the name ${type.name}`);
    named.set(type.name, type);
    for (const member of membersOf(type)) visit(member);
  };
  for (const type of contracts) visit(type);
  for (const stated of statedTypes(app)) visit(stated);
}

function statedTypes(app: INestApplicationContext): unknown[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => {
    const prototype = (metatype as unknown as Class).prototype as Record<string, object>;
    const handlers = new MetadataScanner().getAllMethodNames(prototype);
    return [
      ...typesAt(RESPONSES, metatype as object),
      ...handlers.flatMap((name) => [
        ...typesAt(RESPONSES, prototype[name]!),
        ...typesAt(PARAMETERS, prototype[name]!),
        ...((Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name) ?? []) as unknown[]),
      ]),
    ];
  });
}

function typesAt(key: string, target: object): unknown[] {
  const stated = (Reflect.getMetadata(key, target) ?? {}) as Record<string, Stated>;
  return Object.values(stated).map(({ type }) => type);
}

function membersOf(type: Class): unknown[] {
  const prototype = type.prototype as object;
  const described = (Reflect.getMetadata(MEMBERS, prototype) ?? []) as string[];
  return [
    ...described.map((name) => (Reflect.getMetadata(MEMBER, prototype, name.slice(1)) as Stated | undefined)?.type),
    ...rulesOf(type).map(({ propertyName }) => nestedClass(type, propertyName)),
  ];
}

function rulesOf(type: Class): { propertyName: string }[] {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
}

/** A class with members, itself, in a list, or behind a function that waits for it to be defined. */
function classOf(stated: unknown): Class | undefined {
  const one: unknown = Array.isArray(stated) ? stated[0] : stated;
  if (typeof one !== 'function') return undefined;
  if (one.prototype === undefined) return classOf((one as () => unknown)());
  const type = one as Class;
  return Reflect.hasMetadata(MEMBERS, type.prototype as object) || rulesOf(type).length > 0 ? type : undefined;
}
