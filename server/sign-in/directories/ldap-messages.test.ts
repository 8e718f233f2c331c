import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { withDirectory } from "./connection.ts";
import { splitMessages } from "./ldap-messages.ts";

/** A result of a search without an entry, for nobody who asked. */
const entry = Buffer.from("300902017f640404003000", "hex");
/** The end of the first search. */
const done = Buffer.from("300c02010265070a010004000400", "hex");
/** The header of a message of 3 MiB. */
const long = Buffer.from("3083300000", "hex");

/** Searches a server that answers anything with these bytes. */
async function search(...answer: Buffer[]) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      for (const bytes of answer) socket.write(bytes);
    });
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(() => void close());
  const place = { url: `ldap://127.0.0.1:${port}`, startTls: false, isPublicOnly: false };
  return await withDirectory(
    { ...place, bindDn: undefined, bindPassword: undefined },
    async (client) => (await client.search("dc=example", { filter: "(a=b)" })).searchEntries,
  );
}

test("messages are the same, however they arrive", () => {
  const all = Buffer.concat([entry, done, entry]);
  for (const size of [1, 2, 7, 12, all.length]) {
    const split = splitMessages(1_000);
    const messages: Buffer[] = [];
    for (let i = 0; i < all.length; i += size) messages.push(...split(all.subarray(i, i + size)));
    expect(messages.map((each) => each.toString("hex"))).toEqual(
      [entry, done, entry].map((each) => each.toString("hex")),
    );
  }
});

test("what is no message, or too much, is refused", () => {
  for (const bytes of ["31", "3080", "308500"])
    expect(() => [...splitMessages(1_000)(Buffer.from(bytes, "hex"))]).toThrow("The directory sends");
  const split = splitMessages(1_000);
  expect([...split(Buffer.alloc(0)), ...split(long)]).toEqual([]);
  expect(() => [...split(Buffer.alloc(1_000))]).toThrow("too much");
});

test("a directory that sends very many messages at once is read", async () => {
  expect(await search(Buffer.concat(Array.from({ length: 50_000 }, () => entry)), done)).toEqual([]);
});

test("a directory that never stops sending is left at once", async () => {
  // Not as one that does not answer in time.
  const refused = { name: "DirectoryError", problem: "other" };
  const endless = Array.from({ length: 80 }, () => Buffer.alloc(64 * 1024));
  await expect(search(long, ...endless)).rejects.toMatchObject(refused);
  await expect(search(Buffer.from("GET / HTTP/1.1"))).rejects.toMatchObject(refused);
});
