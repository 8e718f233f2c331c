import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as secureConnect } from "node:tls";
import { unlessAborted } from "../lib/unless-aborted.ts";
import { isAllowed, type Target } from "./target.ts";

/** All network addresses of a host name. Throws if there are none. */
export type Resolve = (host: string) => Promise<string[]>;

/** Opens a connection to a network address. */
export type Dial = (address: string, port: number) => Socket;

/** The host cannot or must not be reached. The reason is only for the log: it would reveal the network to the caller. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** The address must not be connected to, as opposed to one that does not respond. */
export class ForbiddenAddressError extends UnreachableError {}

/** All addresses of a host, by the system's resolver. */
export const resolveName: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export const dialAddress: Dial = (address, port) => connect({ host: address, port });

/** If none of a host's first three addresses responds within 5 s, the others rarely do. */
const connectMs = 5_000;
const triesMax = 3;

/**
 * Connects to the target, and checks the address that the socket is really connected to. A host name is resolved only
 * once: all of its addresses are checked, and the connection is made to one of them, so that a second DNS response cannot
 * change it (DNS rebinding). Throws `UnreachableError`, and the signal's reason.
 */
export async function connectTo(
  target: Target,
  { resolve, dial, signal }: { resolve: Resolve; dial: Dial; signal: AbortSignal },
): Promise<Socket> {
  const addresses = await resolveTarget(target, resolve, signal);
  let failure: unknown;
  for (const address of addresses.slice(0, triesMax)) {
    signal.throwIfAborted();
    const socket = dial(address, target.port);
    try {
      await waitFor(socket, "connect", signal);
      if (!isAllowed(socket.remoteAddress ?? "", target.isAllowedHost))
        throw new ForbiddenAddressError(`connected to ${socket.remoteAddress}, which is not allowed`);
      return target.secure ? await upgradeToTls(socket, target, signal) : socket;
    } catch (error) {
      socket.destroy();
      if (error instanceof ForbiddenAddressError) throw error;
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw new UnreachableError(`no connection to ${target.host}:${target.port}`, { cause: failure });
}

/**
 * The addresses of a host that is connected to by somebody else. Throws `ForbiddenAddressError` if one of them is not
 * allowed, and `UnreachableError`.
 */
export async function resolveTarget(
  target: Target,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<string[]> {
  if (isIP(target.host) !== 0) return [target.host];
  const resolving = resolve(target.host).catch((cause: unknown) => {
    throw new UnreachableError(`${target.host} has no address`, { cause });
  });
  const addresses = await unlessAborted(resolving, signal);
  // Refuses the host even if only one of its addresses is private: legitimate host names have either public or private
  // addresses.
  const forbidden = addresses.find((address) => !isAllowed(address, target.isAllowedHost));
  if (forbidden !== undefined)
    throw new ForbiddenAddressError(`${target.host} resolves to ${forbidden}, which is not allowed`);
  return addresses;
}

async function upgradeToTls(socket: Socket, { host }: Target, signal: AbortSignal): Promise<Socket> {
  const secure = secureConnect({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
  });
  await waitFor(secure, "secureConnect", signal);
  return secure;
}

async function waitFor(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const closed = () => reject(new UnreachableError("closed before it was open"));
  const slow = setTimeout(() => reject(new UnreachableError(`no ${event} in ${connectMs} ms`)), connectMs);
  // The error listener stays, because an unhandled error after a timeout would crash the process.
  socket.on("error", reject).once("close", closed).once(event, resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    clearTimeout(slow);
    socket.off("close", closed);
  }
}
