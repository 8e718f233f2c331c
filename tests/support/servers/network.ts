import { connect, createServer, type Socket } from "node:net";
import { onTestFinished, vi } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";

/** 45 s: after this long without anything, the client's connection is dead. */
const silenceMs = 45_000;

/** Shortens `silenceMs` to half a second during this test. */
export function shortenSilence(): void {
  const { setTimeout } = globalThis;
  const shortened = ((work: () => void, ms?: number) =>
    setTimeout(work, ms === silenceMs ? 500 : ms)) as typeof setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(shortened);
  onTestFinished(() => spy.mockRestore());
}

/** A network between a client and a server that can be cut, or lose everything without a sign. */
export async function startNetwork(to: { port: number }) {
  const sockets = new Set<Socket>();
  const ends: Socket[] = [];
  let connected = Promise.withResolvers<void>();
  const proxy = createServer((socket) => {
    const upstream = connect(to.port, "127.0.0.1");
    sockets.add(socket);
    socket.pipe(upstream).pipe(socket);
    ends.push(upstream);
    upstream.once("data", () => connected.resolve());
    for (const end of [socket, upstream]) end.on("error", () => {});
    socket.on("close", () => upstream.destroy());
  });
  const { url, close } = await listenLocally(proxy);
  const cut = () => {
    connected = Promise.withResolvers();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url,
    connected: async () => await connected.promise,
    cut,
    /** The connections of this moment stay open, but nothing arrives any more. */
    freeze() {
      connected = Promise.withResolvers();
      for (const upstream of ends) upstream.unpipe().resume();
    },
    async close() {
      cut();
      await close();
    },
  };
}
