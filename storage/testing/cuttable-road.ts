import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

type Fate = "pass" | "cut-before" | "cut-after";

/** A road to a server that a test can cut, as a restart or a broken network does. */
export type CuttableRoad = {
  /** The address through here. */
  url: string;
  /** Called with what a client sends; may hold it back, and end that connection before or after it is passed on. */
  onSent: ((data: Buffer) => Fate | Promise<Fate>) | undefined;
  /** Ends every connection and takes no more, until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
};

/** A road to the server of `url`. */
export async function cuttableRoad(url: string): Promise<CuttableRoad> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let server = createServer();
  let port = 0;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  }

  async function mend(): Promise<void> {
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      keep(client);
      keep(upstream);
      client.on("close", () => upstream.end());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (data) => client.write(data));
      let passing: Promise<unknown> = Promise.resolve();
      const pass = async (data: Buffer): Promise<void> => {
        const fate = (await road.onSent?.(data)) ?? "pass";
        if (fate !== "cut-before") upstream.write(data);
        if (fate !== "pass") client.destroy();
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

  const road: CuttableRoad = { url: "", onSent: undefined, cut, mend, close: cut };
  await mend();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(port);
  road.url = through.href;
  return road;
}
