import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';

/** Documents a handler: the operation is called as the method is. */
export function Operation(summary: string, description: string): MethodDecorator {
  return (target, name, descriptor) =>
    ApiOperation({ operationId: String(name), summary, description })(target, name, descriptor);
}

/** The same for everybody: no token is asked for. */
export function OpenOperation(summary: string, description: string): MethodDecorator {
  return (target, name, descriptor) =>
    ApiOperation({ operationId: String(name), summary, description, security: [] })(target, name, descriptor);
}

/** The status of a handler when all is well, and its answer as the document has it. */
export function Answers(status: number, description: string, answer: ApiResponseOptions = {}): MethodDecorator {
  return applyDecorators(HttpCode(status), ApiResponse({ description, ...answer, status }));
}
