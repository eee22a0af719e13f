import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Logger } from '@nestjs/common';
import type { PaidTools } from './paid-tools';
import type { Tool, ToolCall } from './tool';
import { Tools } from './tools';

const failing = (name: string, error: Error): Tool => ({
  declaration: { name, inputSchema: { type: 'object' } },
  call: () => Promise.reject(error),
});
const all = [failing('down', new ServiceUnavailable(7)), failing('broken', new TypeError('secret of ours'))];
const tools = new Tools({ all: [] } as unknown as PaidTools, { all });
const call = { context: { requestId: 'r-1' } } as ToolCall;

beforeAll(() => {
  Logger.overrideLogger(false);
});

it('states what failed, and when to retry', async () => {
  expect((await tools.call('down', call)).structuredContent).toMatchObject({
    error: 'service_unavailable',
    details: { charged: false, retry: 'retry_same', retry_after_seconds: 7 },
  });
});

it('does not disclose an unexpected error', async () => {
  const result = await tools.call('broken', call);
  expect(result).toMatchObject({ isError: true, structuredContent: { error: 'internal_error' } });
  expect(JSON.stringify(result)).not.toContain('secret');
});

it('refuses an unknown tool', async () => {
  await expect(tools.call('nobody', call)).rejects.toMatchObject({ code: -32_602 });
});
