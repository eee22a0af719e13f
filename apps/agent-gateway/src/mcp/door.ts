import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';

/**
 * Lets nobody in who was led here by a name that is not ours: a page in a browser could otherwise talk to a server on its
 * reader's own machine. Programs send no `Origin` and pass.
 */
@Injectable()
export class Door {
  private readonly hosts: string[];
  private readonly origins: string[];

  constructor({ baseUrl, corsOrigins, mcpHosts }: AgentGatewayConfig) {
    const { hostname } = new URL(baseUrl);
    this.hosts = [hostname, ...mcpHosts, ...localhostAllowedHostnames()];
    const listed = corsOrigins.filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin).hostname);
    this.origins = [hostname, ...listed, ...localhostAllowedOrigins()];
  }

  /** 403, or undefined for who may enter. */
  refusal(request: Request): Response | undefined {
    return hostHeaderValidationResponse(request, this.hosts) ?? originValidationResponse(request, this.origins);
  }
}
