// A worker thread that sends hostile bodies to a server, so that the measuring thread has no other work.
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
  Readable.from(chunks()).pipe(socket, { end: false });
  await Promise.race([once(socket, "data"), once(socket, "close")]);
}

function* chunks(): Generator<Buffer> {
  const chunkBytes = 64 * 1024;
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

function bodyOf({ kind, sizeBytes }: Attack["body"]): Buffer {
  if (kind === "objects") return Buffer.from(`[${"{},".repeat((sizeBytes - 4) / 3)}{}]`);
  if (kind === "text") return Buffer.from(`{"text":"${"x".repeat(sizeBytes - 11)}"}`);
  const keys: string[] = [];
  for (let length = 2; length < sizeBytes; length += keys.at(-1)!.length + 1)
    keys.push(`"k${String(keys.length).padStart(7, "0")}":1`);
  return Buffer.from(`{${keys.join(",")}}`);
}
