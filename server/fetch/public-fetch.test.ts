import { createServer, type Server } from "node:http";
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { ForbiddenAddressError, UnreachableError } from "./connect.ts";
import { fetchFromPublicHost } from "./public-fetch.ts";

const publicAddress = "93.184.216.34";
let server: Server;
let close: () => Promise<void>;
let sent: { method: string | undefined; url: string | undefined; host: string | undefined; body: string }[] =
  [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { method, url, headers } = request;
    const entry = { method, url, host: headers.host, body: "" };
    sent.push(entry);
    request.on("data", (chunk: Buffer) => (entry.body += chunk.toString()));
    if (url === "/moved") response.writeHead(302, { location: "http://127.0.0.1/" }).end();
    else if (url === "/none") response.writeHead(204).end();
    else response.writeHead(201, { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"] }).end("found");
  });
  ({ close } = await listenLocally(server));
});
afterAll(async () => await close());

/** A name that resolves to `resolved`, and a connection that seems to lead to `connected`. */
const network = (resolved: string, connected = resolved, to: TcpServer = server) => ({
  resolve: async () => [resolved],
  dial: () =>
    Object.defineProperty(connect((to.address() as AddressInfo).port, "127.0.0.1"), "remoteAddress", {
      value: connected,
    }),
});

test("a request to a public host is sent and answered as by fetch, and follows no redirect", async () => {
  sent = [];
  const init = { method: "POST", body: "{}", headers: { authorization: "Bearer x" } };
  const response = await fetchFromPublicHost("http://far.test/v1?x=1", init, network(publicAddress));
  expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([
    201,
    ["a=1", "b=2"],
    "found",
  ]);
  expect((await fetchFromPublicHost("http://far.test/none", {}, network(publicAddress))).status).toBe(204);
  expect((await fetchFromPublicHost("http://far.test/moved", {}, network(publicAddress))).status).toBe(302);
  expect(sent.map(({ method, url, host, body }) => [method, url, host, body])).toEqual([
    ["POST", "/v1?x=1", "far.test", "{}"],
    ["GET", "/none", "far.test", ""],
    ["GET", "/moved", "far.test", ""],
  ]);
});

test.for([
  ["127.0.0.1", "127.0.0.1"],
  ["169.254.169.254", "169.254.169.254"],
  // A proxy or a name server in between.
  [publicAddress, "10.0.0.7"],
])(
  "nothing is sent if the name resolves to %s and the connection leads to %s",
  async ([resolved, connected]) => {
    sent = [];
    const asked = fetchFromPublicHost("http://far.test/", {}, network(resolved!, connected));
    await expect(asked).rejects.toThrow(ForbiddenAddressError);
    await expect(
      fetchFromPublicHost("http://127.0.0.1/", {}, network(resolved!, connected)),
    ).rejects.toThrow();
    expect(sent).toEqual([]);
  },
);

test("a request ends when its signal aborts", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(fetchFromPublicHost("http://far.test/", { signal }, network(publicAddress))).rejects.toThrow(
    "enough",
  );
});

/** A server that sends this to each connection, and resolves `closed` when the client has left. */
async function serverThatSends(bytes: string) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const raw = createTcpServer((socket) => {
    socket.on("error", () => undefined).once("close", () => resolve());
    socket.once("data", () => socket.write(bytes));
  });
  const { close } = await listenLocally(raw);
  onTestFinished(() => void close());
  return { closed, network: network(publicAddress, publicAddress, raw) };
}

test("a response ends when the signal aborts, also if only the caller still holds the signal", async () => {
  const { closed, network: far } = await serverThatSends("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfirst");
  const stop = new AbortController();
  const response = await fetchFromPublicHost("http://far.test/", { signal: stop.signal }, far);
  setFlagsFromString("--expose-gc");
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    (runInNewContext("gc") as () => void)();
  }
  stop.abort(new Error("enough"));
  await expect(response.text()).rejects.toThrow();
  await closed;
});

test.for([
  [
    "upgrades the connection",
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
  ],
  ["has an unknown status", "HTTP/1.1 999 Denied\r\ncontent-length: 9\r\n\r\nfirst"],
])("a server whose response %s counts as unreachable, and is left", async ([, bytes]) => {
  const { closed, network: far } = await serverThatSends(bytes!);
  await expect(fetchFromPublicHost("http://far.test/", {}, far)).rejects.toThrow(UnreachableError);
  await closed;
});

test("the connection of a response without a body is closed", async () => {
  const { closed, network: far } = await serverThatSends("HTTP/1.1 204 No Content\r\n\r\n");
  expect((await fetchFromPublicHost("http://far.test/", {}, far)).status).toBe(204);
  await closed;
});
