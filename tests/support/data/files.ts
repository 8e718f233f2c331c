import { request } from "node:http";
import { connect } from "node:net";
import { readFileSync } from "node:fs";
import type { ResponseOf, BodyOf } from "#contract/api.ts";
import type { Visitor } from "../clients/visitor.ts";

export const gardenPng = readFileSync("fixtures/files/garden.png");

export type UploadTarget = ResponseOf<"files.upload">;

/** Requests an upload URL and sends the bytes there, as the protocol's clients do: with a type and without a credential. */
export async function attach(
  owner: Visitor,
  name: string,
  bytes: string | Uint8Array,
  type = "",
): Promise<UploadTarget> {
  const promised = await requestUpload(owner, { filename: name });
  const answer = await put(promised.signedUrl, bytes, type);
  if (!answer.ok) throw new Error(`The upload of ${name}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return promised;
}

export async function requestUpload(owner: Visitor, body: BodyOf<"files.upload">): Promise<UploadTarget> {
  return await owner.call("files.upload", { body });
}

export async function put(url: string, bytes: string | Uint8Array, type = ""): Promise<Response> {
  return await fetch(url, {
    method: "PUT",
    body: typeof bytes === "string" ? Buffer.from(bytes) : (bytes as Uint8Array<ArrayBuffer>),
    ...(type === "" ? {} : { headers: { "Content-Type": type } }),
  });
}

/** Reads a file: its status, headers and bytes. */
export async function open(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(url, { method, headers, redirect: "manual" });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

/** Requests a path as it is; `fetch` would normalize it. */
export async function getRawPath(base: string, path: string): Promise<{ status: number; text: string }> {
  return await requestWithHost(base, new URL(base).host, path);
}

/** Starts an upload, sends these bytes, and then disconnects or waits until the server does. Returns the response. */
export async function beginUpload(
  url: string,
  head: Record<string, string>,
  bytes: Uint8Array,
  then: "disconnect" | "wait",
): Promise<string> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ Host: host, ...head }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  socket.write(bytes);
  let response = "";
  socket.on("data", (chunk) => (response += chunk.toString()));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  if (then === "disconnect") socket.end();
  await closed;
  return response;
}

/** Sends a request with another `Host` header. */
export async function requestWithHost(
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
