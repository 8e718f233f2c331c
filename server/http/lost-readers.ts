import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { endianness } from "node:os";

/**
 * Cuts connections whose other end went without a word: a phone out of reach, a machine that lost its power. Where
 * something is under way to it, TCP goes on sending that for a quarter of an hour and asks nothing else meanwhile, and
 * Node cannot shorten that. But Linux tells how often it has sent in vain: a count that falls to nothing as soon as the
 * other end takes anything. Elsewhere there is no such table, and nothing is cut. Answers how to stop looking.
 */
export function cutLost(
  server: Server,
  options: {
    lookMs: number;
    /** For how long nothing of what was sent was taken. */
    lostMs: number;
    readTables?: () => Promise<string>;
  },
): () => void {
  const { lookMs, lostMs, readTables = kernelTables } = options;
  const open = new Set<Socket>();
  const standing = new Map<Socket, { resent: number; sinceMs: number }>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      standing.delete(socket);
    });
  });

  async function look(): Promise<void> {
    if (open.size === 0) return;
    const resent = resentBetween(await readTables());
    const nowMs = performance.now();
    if (resent.size === 0) standing.clear();
    else for (const socket of open) judge(socket, resent.get(endsOf(socket)), nowMs);
  }

  function judge(socket: Socket, resent: number | undefined, nowMs: number): void {
    const before = standing.get(socket);
    if (resent === undefined) standing.delete(socket);
    else if (before === undefined || resent < before.resent) standing.set(socket, { resent, sinceMs: nowMs });
    else if (nowMs - before.sinceMs >= lostMs) socket.destroy();
    else before.resent = resent;
  }

  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => (looking = false));
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The kernel's connections over IPv4 and IPv6; nothing where it does not tell of them. */
async function kernelTables(): Promise<string> {
  const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
  return (await Promise.all(tables.map(async (path) => await readFile(path, "latin1").catch(() => "")))).join(
    "\n",
  );
}

/** Number, both ends, state, queues, the timer of what is sent again (01), and how often it was. */
const resending =
  /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} \S+ 01:\S+ ([0-9A-F]+)/gm;

/** How often what is under way was sent again, by the connection's ends. */
function resentBetween(tables: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [, host = "", port = "", farHost = "", farPort = "", resent = ""] of tables.matchAll(
    resending,
  )) {
    const count = Number.parseInt(resent, 16);
    if (count > 0) found.set(`${end(host, port)} ${end(farHost, farPort)}`, count);
  }
  return found;
}

function end(host: string, port: string): string {
  // Words of 32 bits, as the machine keeps them.
  const words = host.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const pairs = word.match(/../g) ?? [];
    return endianness() === "LE" ? pairs.toReversed() : pairs;
  });
  const address =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
      : (bytes.join("").match(/.{4}/g) ?? []).join(":");
  return `${oneForm(address)} ${Number.parseInt(port, 16)}`;
}

function endsOf({ localAddress = "", localPort, remoteAddress = "", remotePort }: Socket): string {
  return `${oneForm(localAddress)} ${localPort} ${oneForm(remoteAddress)} ${remotePort}`;
}

/** An IPv6 address can be written in many ways. */
function oneForm(address: string): string {
  const bare = address.replace(/%.*$/, "");
  return bare.includes(":") ? (URL.parse(`http://[${bare}]/`)?.hostname ?? bare) : bare;
}
