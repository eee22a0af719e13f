import { PAID_ENDPOINTS, type OpenApiDocument } from '@evenkeel/contracts';
import type { OperationExamples } from '@evenkeel/platform/openapi';
import { explain, ValidationFailed } from '@evenkeel/platform/validation';
import { errorExample } from '../documentation/answers';
import { goldenVectors } from '../offers/golden-vectors';

/** By operation: golden vectors, which are what the engine answers, to the byte, and a body that is refused. */
export function engineExamples({ paths }: OpenApiDocument): Record<string, OperationExamples> {
  const { functions, ...rest } = goldenVectors();
  const [first] = functions;
  const excerpt = { ...rest, functions: [{ ...first!, vectors: first!.vectors.slice(0, 1) }] };
  const paid = PAID_ENDPOINTS.map(({ path, exampleInput, requestForms }): [string, OperationExamples] => {
    const { vectors } = functions.find(({ endpoint }) => endpoint === path)!;
    const { input, output } = vectors.find(({ name }) => name === 'published example')!;
    const [list] = Object.keys(exampleInput);
    const body = { ...exampleInput, [list!]: [] };
    const invalid = errorExample(path, new ValidationFailed(explain(requestForms, body)), { body });
    const answers = { 200: { published: { value: output } }, 400: { invalid } };
    return [paths[path]!.post!.operationId, { request: { published: { value: input } }, answers }];
  });
  const vectors = { answers: { 200: { excerpt: { summary: 'The first of many', value: excerpt } } } };
  return { ...Object.fromEntries(paid), listVectors: vectors };
}
