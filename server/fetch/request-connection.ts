import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { connectTo, type Dial, type Resolve } from "./connect.ts";
import { processProxy, type TunnelOptions } from "./outgoing-proxy.ts";
import { publicAddressOf } from "./public-address.ts";
import type { Target } from "./target.ts";

/** How one request reaches its target. */
export type Connection = {
  /** For Node's `request`. */
  options: RequestOptions;
  /** Whether it goes through the proxy, in a tunnel whose TLS the request begins. */
  isTunnel: boolean;
  /** Ends the request and its connection, if they have not ended. */
  close(): void;
};

/**
 * A connection to the target. Over https it goes through the proxy of the process, which connects to an address that is
 * checked here; a host that the operator allows is in their own network, and is reached directly. Throws what `connectTo`
 * throws.
 */
export async function openConnection(
  target: Target,
  { resolve, dial, signal }: { resolve: Resolve; dial: Dial; signal: AbortSignal },
): Promise<Connection> {
  const agent = target.isAllowedHost ? undefined : processProxy()?.agentFor(target.url, true);
  if (agent === undefined) {
    const socket = await connectTo(target, { resolve, dial, signal });
    const disconnect = () => socket.destroy(signal.reason as Error);
    signal.addEventListener("abort", disconnect, { once: true });
    return {
      options: { createConnection: () => socket },
      isTunnel: false,
      close() {
        signal.removeEventListener("abort", disconnect);
        socket.destroy();
      },
    };
  }
  const closed = new AbortController();
  const ended = AbortSignal.any([signal, closed.signal]);
  const options: TunnelOptions = {
    agent,
    signal: ended,
    tunnelSignal: ended,
    host: await publicAddressOf(target.url, signal, resolve),
    port: target.port,
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
  };
  return { options, isTunnel: true, close: () => closed.abort() };
}
