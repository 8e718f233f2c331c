import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

type Verdict = "pass" | "cut-before" | "cut-after";

/** A TCP proxy that a test can cut off, as a restart of the server or a broken network would. */
export type CuttableProxy = {
  /** The address of the server through the proxy. */
  url: string;
  /** Called with what a client sends. It may delay the data, and cut the connection before or after passing it on. */
  onSent: ((data: Buffer) => Verdict | Promise<Verdict>) | undefined;
  /** Closes every connection and refuses new ones until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

export async function createCuttableProxy(url: string): Promise<CuttableProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let server = createServer();
  let port = 0;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  }

  async function restore(): Promise<void> {
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      keep(client);
      keep(upstream);
      client.on("close", () => upstream.end());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (data) => client.write(data));
      let passing: Promise<unknown> = Promise.resolve();
      const pass = async (data: Buffer): Promise<void> => {
        const verdict = (await proxy.onSent?.(data)) ?? "pass";
        if (verdict !== "cut-before") upstream.write(data);
        if (verdict !== "pass") client.destroy();
      };
      client.on("data", (data) => {
        passing = passing.then(() => pass(Buffer.from(data)));
      });
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const proxy: CuttableProxy = { url: "", onSent: undefined, cut, restore, close: cut };
  await restore();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(port);
  proxy.url = through.href;
  return proxy;
}
