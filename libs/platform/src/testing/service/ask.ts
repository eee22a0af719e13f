export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body where it is JSON, else empty. */
  body: { error?: string; message?: string; details?: Record<string, unknown> } & Record<string, unknown>;
}

/** The answer to one request, read to its end. */
export async function ask(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Reply['body'],
  };
}
