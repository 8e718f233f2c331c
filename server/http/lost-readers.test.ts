import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { endianness } from "node:os";
import { afterEach, expect, test } from "vitest";
import { cutLost } from "./lost-readers.ts";

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) last();
});

/** A server whose kernel says what `told` does, and a connection to it, at both ends. */
async function connected(host: string, told: (ends: string) => string) {
  const server: Server = createServer();
  let ends = "";
  undo.push(cutLost(server, { lookMs: 5, lostMs: 40, readTables: () => Promise.resolve(told(ends)) }));
  server.listen(0, host);
  await once(server, "listening");
  undo.push(() => server.close());
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const far = connect((server.address() as AddressInfo).port, host).on("error", () => {});
  undo.push(() => far.destroy());
  const [near] = await accepted;
  ends = `${hex(near.localAddress!, near.localPort!)} ${hex(near.remoteAddress!, near.remotePort!)}`;
  return { near, since: performance.now() };
}

const hosts: Record<string, string> = {
  "127.0.0.1": "7F000001",
  "::1": "00000000000000000000000000000001",
  "::ffff:127.0.0.1": "00000000000000000000FFFF7F000001",
};

/** As Linux writes it. */
function hex(host: string, port: number): string {
  const words = hosts[host]!.match(/.{8}/g)!;
  const turned = words.map((word) =>
    endianness() === "LE" ? word.match(/../g)!.toReversed().join("") : word,
  );
  return `${turned.join("")}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

const line = (ends: string, timer: string, resent: number): string =>
  `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1E61 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
  12: ${ends} 01 00000003:00000000 ${timer}:00000009 ${resent.toString(16).toUpperCase().padStart(8, "0")}     0        0 2`;

test.for(["127.0.0.1", "::1", "::ffff:127.0.0.1"])(
  "cuts who takes nothing at %s, once they had their time",
  async (host) => {
    let resent = 0;
    const { near, since } = await connected(host, (ends) => line(ends, "01", (resent += 1)));
    await once(near, "close");
    expect(performance.now() - since).toBeGreaterThan(40);
  },
);

test.for<[string, (look: number) => [string, number]]>([
  ["has nothing under way", () => ["02", 0]],
  ["reads nothing, and says so", () => ["04", 0]],
  ["loses some, and takes it in the end", (look) => ["01", look % 2]],
])("leaves alone who %s", async ([, told]) => {
  let look = 0;
  const { near } = await connected("127.0.0.1", (ends) => line(ends, ...told((look += 1))));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(look).toBeGreaterThan(10);
  expect(near.destroyed).toBe(false);
});

test("leaves all alone where the kernel tells nothing", async () => {
  const { near } = await connected("127.0.0.1", () => "");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(near.destroyed).toBe(false);
});
