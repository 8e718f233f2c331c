import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";

/** The server cannot listen on the configured host and port. The message says why and what to do. */
export class CannotListenError extends Error {
  override readonly name = "CannotListenError";
}

/** `setting` is the one that selects the port: `PORT` by default. */
type Address = { host: string; port: number; setting?: string };

export type Listening = {
  port: number;
  /** Stops accepting connections and resolves when the last one has ended. Closes those still open after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

const idleCheckMs = 50;
/** After this idle time, TCP probes whether the other end is still there. */
const keepAliveMs = 30_000;

/** Listens on `host` and `port` (0: any free one). Throws `CannotListenError`. */
export async function listen(
  fetch: (request: Request, env: never) => unknown,
  options: Address,
): Promise<Listening> {
  // The rest of a body is read by `drain`; the adapter would cut off a slow sender half a second after the response.
  const server = createAdaptorServer({
    fetch: fetch as never,
    autoCleanupIncoming: false,
    serverOptions: { keepAlive: true, keepAliveInitialDelay: keepAliveMs },
  }) as Server;
  // Bodies have their own time limits: an upload may take as long as bytes keep arriving.
  server.requestTimeout = 0;
  server.headersTimeout = 20_000;
  // Longer than the idle time of common proxies (60 s), so that they close first and no request is lost.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(new CannotListenError(listenErrorMessage(cause.code, options), { cause })),
    );
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Keep-alive connections become idle when their last response ends.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

function listenErrorMessage(code: string | undefined, { host, port, setting = "PORT" }: Address): string {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use by another program. Stop it, or set ${setting} to another number.`;
  if (code === "EACCES") return `This user may not use port ${port}. Set ${setting} to a number above 1023.`;
  return `The server cannot listen on ${host} (${code}). Set HOST to an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them.`;
}
