import { isIP, type Socket } from "node:net";
import { connect as secureConnect } from "node:tls";
import { mayReach, type Target } from "./target.ts";

/** Every network address of a name. Throws where there is none. */
export type Resolve = (host: string) => Promise<string[]>;

/** Begins a connection to a network address. */
export type Dial = (address: string, port: number) => Socket;

/** Nothing that may be read stands there; why is for the log alone, so that nobody learns our network from it. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** Three tries of 5 s at most: a name's first addresses answer, or none will. */
const connectMs = 5_000;
const triesMax = 3;

/**
 * A connection to the target, whose far end was judged by the address that it really has. A name is resolved once, every
 * address of it is judged, and the connection is made to such an address and not to the name, so that no second answer
 * of a resolver counts. Throws `UnreachableError`, and the signal's reason.
 */
export async function connectTo(
  target: Target,
  { resolve, dial, signal }: { resolve: Resolve; dial: Dial; signal: AbortSignal },
): Promise<Socket> {
  const addresses = await addressesOf(target, resolve, signal);
  let failure: unknown;
  for (const address of addresses.slice(0, triesMax)) {
    signal.throwIfAborted();
    const socket = dial(address, target.port);
    try {
      await settled(socket, "connect", signal);
      if (!mayReach(socket.remoteAddress ?? "", target.named))
        throw new UnreachableError(`connected to ${socket.remoteAddress}, which may not be reached`);
      return target.secure ? await secured(socket, target, signal) : socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw new UnreachableError(`no connection to ${target.host}:${target.port}`, { cause: failure });
}

async function addressesOf(target: Target, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  if (isIP(target.host) !== 0) return [target.host];
  const resolving = resolve(target.host).catch((cause: unknown) => {
    throw new UnreachableError(`${target.host} has no address`, { cause });
  });
  const addresses = await orAborted(resolving, signal);
  // Also where only one of several is private: an honest name leads to one kind of place.
  const forbidden = addresses.find((address) => !mayReach(address, target.named));
  if (forbidden !== undefined)
    throw new UnreachableError(`${target.host} leads to ${forbidden}, which may not be reached`);
  return addresses;
}

async function secured(socket: Socket, { host }: Target, signal: AbortSignal): Promise<Socket> {
  const secure = secureConnect({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
  });
  await settled(secure, "secureConnect", signal);
  return secure;
}

async function settled(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const closed = () => reject(new UnreachableError("closed before it was open"));
  const slow = setTimeout(() => reject(new UnreachableError(`no ${event} in ${connectMs} ms`)), connectMs);
  // What it says after it was given up is of no interest, and must not go unheard.
  socket.on("error", reject).once("close", closed).once(event, resolve);
  try {
    await orAborted(promise, signal);
  } finally {
    clearTimeout(slow);
    socket.off("close", closed);
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
