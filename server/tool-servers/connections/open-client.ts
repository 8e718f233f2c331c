import type { Client, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import type { ConfiguredServer } from "../configured-servers.ts";
import { boundResponse, messageBytesMax } from "./bound-response.ts";

/** How a server is reached. `token` is asked before each request; `onRefused` when the server did not accept it. */
export type Reach =
  | { command: ConfiguredServer }
  | {
      url: string;
      transport: "http" | "sse";
      headers: readonly { name: string; value: string }[];
      send: (input: string | URL, init?: RequestInit) => Promise<Response>;
      token(): Promise<string | undefined>;
      onRefused(): Promise<void>;
    };

export type OpenClient = {
  client: Client;
  /** Ends the connection, and the process if the server is one. Waits for nothing. */
  close(): void;
};

/** What this process says about itself to tool servers. */
const clientName = "Parlance";

/** Some servers take seconds to start, such as those that a package runner downloads first. */
const connectMs = 30_000;

/**
 * Results are for models, which read any JSON: a server that breaks its own schema costs nothing, and no regular expression
 * of a stranger runs here.
 */
const anyResult: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * Connects to a tool server. The SDK is loaded at the first use. `onListChanged` is called when the server says that its
 * tools changed, and `onClose` when the connection has ended.
 */
export async function openClient(
  reach: Reach,
  { signal, onListChanged, onClose }: { signal: AbortSignal; onListChanged: () => void; onClose: () => void },
): Promise<OpenClient> {
  const { Client: SdkClient } = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const client = new SdkClient(
    { name: clientName, version: "1" },
    {
      capabilities: {},
      jsonSchemaValidator: anyResult,
      // A process would be started twice.
      versionNegotiation: { mode: "command" in reach ? "legacy" : "auto", probe: { timeoutMs: connectMs } },
      listMaxPages: 20,
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", onListChanged);
  // Errors of the stream for notifications cost no call.
  Object.assign(client, { onerror: () => {}, onclose: onClose });
  const transport = await transportOf(reach);
  const close = () => void client.close().catch(() => {});
  try {
    await client.connect(transport, { signal, timeout: connectMs });
  } catch (error) {
    close();
    throw error;
  }
  return { client, close };
}

async function transportOf(reach: Reach): Promise<Transport> {
  if ("command" in reach) {
    const { StdioClientTransport, getDefaultEnvironment } =
      await import("@modelcontextprotocol/client/stdio");
    const { command, args, env, cwd } = reach.command;
    return new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stderr: "ignore",
      maxBufferSize: messageBytesMax,
    });
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { url, transport, headers, send, token, onRefused } = reach;
  const options = {
    fetch: async (input: string | URL, init?: RequestInit) => boundResponse(await send(input, init)),
    requestInit: { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) },
    authProvider: { token, onUnauthorized: onRefused },
    onInsufficientScope: "throw" as const,
  };
  return transport === "sse"
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), {
        ...options,
        reconnectionOptions: {
          initialReconnectionDelay: 1_000,
          maxReconnectionDelay: 30_000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 3,
        },
      });
}
