import { Place, ValidationFailed, type ValidationIssue } from '@evenkeel/platform/validation';
import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';

/** Texts by name, as they came. */
export type QueryTexts = Readonly<Record<string, string | undefined>>;

/** One or more members of a query: how they are described, and what they mean together. */
export interface QueryPart<Value> {
  members: readonly (ApiQueryOptions & { name: string })[];
  /** @throws ValidationFailed */
  read(texts: QueryTexts): Value;
}

/** The query of a route: described and read here, and other members are refused. */
export class RevenueQuery<Values extends object> {
  private readonly names: ReadonlySet<string>;

  constructor(private readonly parts: { readonly [Name in keyof Values]: QueryPart<Values[Name]> }) {
    this.names = new Set(this.allParts().flatMap(({ members }) => members.map(({ name }) => name)));
  }

  /** Describes its members in OpenAPI. */
  described(): MethodDecorator {
    const members = this.allParts().flatMap((part) => part.members);
    return applyDecorators(...members.map((member) => ApiQuery({ required: false, ...member })));
  }

  /** @throws ValidationFailed also for a member that is not known, and for one that is there twice */
  read(query: unknown): Values {
    const issues = Object.entries(query as object).flatMap(([name, value]: [string, unknown]) =>
      this.issueOf(name, value),
    );
    if (issues.length > 0) throw new ValidationFailed(issues);
    const entries = Object.entries<QueryPart<unknown>>(this.parts);
    return Object.fromEntries(entries.map(([name, part]) => [name, part.read(query as QueryTexts)])) as Values;
  }

  private issueOf(name: string, value: unknown): ValidationIssue[] {
    const { path } = Place.WHOLE_BODY.below(name);
    if (!this.names.has(name)) return [{ path, code: 'unknown_property', message: 'is not known here' }];
    return typeof value === 'string' ? [] : [{ path, code: 'conflict', message: 'must be there once' }];
  }

  private allParts(): QueryPart<unknown>[] {
    return Object.values(this.parts);
  }
}
