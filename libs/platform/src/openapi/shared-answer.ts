import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';

/**
 * An answer that is the same wherever it is met: it stands once in `components.responses`, which `partOf` is given.
 * @param name there
 */
export function SharedAnswer(status: number, name: string): MethodDecorator & ClassDecorator {
  return ApiResponse({ status, $ref: `#/components/responses/${name}` } as ApiResponseOptions);
}
