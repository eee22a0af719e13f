/** An error answer of JSON-RPC 2.0; codes are those of the protocol and of common nodes. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  static invalidRequest(): RpcError {
    return new RpcError(-32600, 'Invalid Request');
  }

  static methodNotFound(): RpcError {
    return new RpcError(-32601, 'the method does not exist or is not available');
  }

  static invalidParams(what: string): RpcError {
    return new RpcError(-32602, `invalid argument: ${what}`);
  }

  static reverted(): RpcError {
    return new RpcError(3, 'execution reverted');
  }
}
