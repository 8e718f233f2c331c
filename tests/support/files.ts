import { request } from "node:http";
import { connect } from "node:net";
import { readFileSync } from "node:fs";
import type { ResponseOf, BodyOf } from "#contract/api.ts";
import type { Visitor } from "./visitor.ts";

export const gardenPng = readFileSync("fixtures/files/garden.png");

export type Promised = ResponseOf<"files.upload">;

/** Asks for an address and sends the bytes there, as the protocol's clients do: with a type, and no credential. */
export async function attach(
  owner: Visitor,
  name: string,
  bytes: string | Uint8Array,
  type = "",
): Promise<Promised> {
  const promised = await promise(owner, { filename: name });
  const answer = await put(promised.signedUrl, bytes, type);
  if (!answer.ok) throw new Error(`The upload of ${name}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return promised;
}

export async function promise(owner: Visitor, body: BodyOf<"files.upload">): Promise<Promised> {
  return await owner.call("files.upload", { body });
}

export async function put(url: string, bytes: string | Uint8Array, type = ""): Promise<Response> {
  return await fetch(url, {
    method: "PUT",
    body: typeof bytes === "string" ? Buffer.from(bytes) : (bytes as Uint8Array<ArrayBuffer>),
    ...(type === "" ? {} : { headers: { "Content-Type": type } }),
  });
}

/** The file as it is read: what its head says, and its bytes. */
export async function open(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(url, { method, headers, redirect: "manual" });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

/** What the path is, letter by letter: `fetch` would tidy it up. */
export async function openRaw(base: string, path: string): Promise<{ status: number; text: string }> {
  return await rawAt(base, new URL(base).host, path);
}

/** Begins an upload, sends these bytes, and does as told: hangs up, or just waits until it is hung up on. */
export async function beginUpload(
  url: string,
  head: Record<string, string>,
  bytes: Uint8Array,
  then: "hang up" | "wait",
): Promise<string> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ Host: host, ...head }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  socket.write(bytes);
  let answered = "";
  socket.on("data", (chunk) => (answered += chunk.toString()));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  if (then === "hang up") socket.end();
  await closed;
  return answered;
}

/** A request to our server under another name of its host. */
export async function rawAt(
  base: string,
  host: string,
  path: string,
  { method = "GET", body }: { method?: string; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(base);
  return await new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers: { Host: host } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end(body);
  });
}
