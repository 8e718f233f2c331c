import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

type Action = "pass" | "cut-before" | "cut-after";

/** A TCP proxy whose connections a test can cut, as a server restart or a network failure would. */
export type CuttableProxy = {
  /** The server's URL through the proxy. */
  url: string;
  /** Called with the data that a client sends. It may delay the data, or cut the connection before or after forwarding it. */
  onSent: ((data: Buffer) => Action | Promise<Action>) | undefined;
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

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  }

  async function restore(): Promise<void> {
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      track(client);
      track(upstream);
      client.on("close", () => upstream.end());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (data) => client.write(data));
      let previous: Promise<unknown> = Promise.resolve();
      const pass = async (data: Buffer): Promise<void> => {
        const action = (await proxy.onSent?.(data)) ?? "pass";
        if (action !== "cut-before") upstream.write(data);
        if (action !== "pass") client.destroy();
      };
      client.on("data", (data) => {
        previous = previous.then(() => pass(Buffer.from(data)));
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
  // Otherwise the client connects to the Unix socket of the tests' PostgreSQL.
  through.searchParams.delete("host");
  through.hostname = "127.0.0.1";
  through.port = String(port);
  proxy.url = through.href;
  return proxy;
}
