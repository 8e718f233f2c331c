import { once } from "node:events";
import type { Client } from "ldapts";
import { connectTo, dialAddress, resolveName } from "#server/fetch/connect.ts";
import { startTls } from "#server/fetch/start-tls.ts";
import { unlessAborted } from "#server/lib/unless-aborted.ts";
import { splitMessages } from "./ldap-messages.ts";
import { asDirectoryError } from "./problems.ts";

export type DirectoryLocation = {
  /** `ldap:` or `ldaps:`, without a path. */
  url: string;
  startTls: boolean;
  /** The account that searches; `undefined` searches without one. */
  bindDn: string | undefined;
  bindPassword: string | undefined;
  /** The server must be on the public internet, because the owner did not name it. */
  isPublicOnly: boolean;
};

type TlsSocket = ReturnType<typeof startTls>;

const operationMs = 5_000;
const totalMs = 15_000;
/** The maximum that a directory may send on one connection. */
const bytesMax = 4 * 1024 * 1024;

/**
 * Connects, encrypts, binds the account that searches, and runs `work`. The address that is really connected to is
 * checked before anything is sent. Referrals are not followed. Throws `DirectoryError`.
 */
export async function withDirectory<T>(
  location: DirectoryLocation,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  // Loaded at the first sign-in: most servers have no directory.
  const { Client } = await import("ldapts");
  const signal = AbortSignal.timeout(totalMs);
  const url = new URL(location.url);
  const isTls = url.protocol === "ldaps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (isTls ? 636 : 389) : Number(url.port);
  const target = { url, host, port, secure: false, isAllowedHost: !location.isPublicOnly };
  const socket = await connectTo(target, { resolve: resolveName, dial: dialAddress, signal }).catch(
    (error: unknown) => {
      throw asDirectoryError(error, "connect");
    },
  );
  try {
    // Before the library has the connection: it would write passwords while the certificate is still being checked.
    const secure = isTls ? await securely(startTls(socket, host), signal) : undefined;
    const client = new Client({
      url: location.url,
      timeout: operationMs,
      connectTimeout: operationMs,
      createConnection: () => socket,
      createSecureConnection: () => {
        // Discard what arrived before encryption, so that it cannot become part of a response.
        restart();
        return secure ?? startTls(socket, host);
      },
    });
    const restart = guard(client, () => socket.destroy());
    return await unlessAborted(inSteps(client, location, work), signal);
  } catch (error) {
    throw asDirectoryError(error, "search");
  } finally {
    socket.destroy();
  }
}

/**
 * Passes the LDAP library whole messages of limited size. By itself, the library copies its buffer for every chunk and
 * recurses for every message, so a hostile directory could block or crash this process. Returns a function that drops an
 * incomplete message.
 */
function guard(client: Client, end: () => void): () => void {
  const reader = client as unknown as { socketDataHandler: (data: Buffer) => void };
  const read = reader.socketDataHandler;
  let split = splitMessages(bytesMax);
  reader.socketDataHandler = (data) => {
    try {
      for (const message of split(data)) read(message);
    } catch {
      end();
    }
  };
  return () => void (split = splitMessages(bytesMax));
}

async function securely(socket: TlsSocket, signal: AbortSignal): Promise<TlsSocket> {
  await once(socket, "secureConnect", { signal }).catch((error: unknown) => {
    throw asDirectoryError(error, "start-tls");
  });
  return socket;
}

async function inSteps<T>(
  client: Client,
  { url, startTls: startsTls, bindDn, bindPassword }: DirectoryLocation,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (startsTls && !url.startsWith("ldaps:"))
    await client.startTLS().catch((error: unknown) => {
      throw asDirectoryError(error, "start-tls");
    });
  // An empty password would bind anonymously.
  if (bindDn !== undefined && bindPassword !== undefined && bindPassword !== "")
    await client.bind(bindDn, bindPassword).catch((error: unknown) => {
      throw asDirectoryError(error, "bind");
    });
  return await work(client);
}
