import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { cutLost } from "./lost-readers.ts";

/** We may not listen where we were told to. */
export class CannotListenError extends Error {
  override readonly name = "CannotListenError";
}

export type Listening = {
  port: number;
  /** Takes no new connections, and resolves when the last one has ended; those still open after `graceMs` are cut. */
  close(graceMs: number): Promise<void>;
};

const idleLookMs = 50;
/** 30 s without a word from the other end, and it is asked whether it is there. */
const keepAliveMs = 30_000;

/** Listens on `host` and `port` (0: any free one). Throws `CannotListenError`. */
export async function listen(
  fetch: (request: Request, env: never) => unknown,
  options: {
    host: string;
    port: number;
    /** Who takes nothing of what was sent for so long is cut; where the kernel tells, that is looked at so often. */
    lost: { lostMs: number; lookMs: number };
  },
): Promise<Listening> {
  // What is left of a body is read by `drain`; the adapter would cut a slow sender half a second after the answer.
  const server = createAdaptorServer({
    fetch: fetch as never,
    autoCleanupIncoming: false,
    serverOptions: { keepAlive: true, keepAliveInitialDelay: keepAliveMs },
  }) as Server;
  // Whoever reads a body bounds it: a file may take as long as it keeps coming.
  server.requestTimeout = 0;
  server.headersTimeout = 20_000;
  // Longer than the idle time of common proxies (60 s), so that it is they who close first and no request is lost.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(new CannotListenError(remedy(cause.code, options), { cause })),
    );
    server.listen(options.port, options.host, resolve);
  });
  const stopLooking = cutLost(server, options.lost);
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // A connection whose last answer has ended stays open for a next one, which is not taken any more.
      const idle = setInterval(() => server.closeIdleConnections(), idleLookMs);
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      stopLooking();
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

function remedy(code: string | undefined, { host, port }: { host: string; port: number }): string {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use by another program. Stop it, or set PORT to another number.`;
  if (code === "EACCES") return `Port ${port} is not open to this user. Set PORT to a number above 1023.`;
  return `It cannot listen on ${host} (${code}). Set HOST to an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them.`;
}
