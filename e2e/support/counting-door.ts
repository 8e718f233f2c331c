import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

/** A door before the server that knows how many live lines pass through it now. */
export type CountingDoor = { url: string; live(): number; close(): void };

export async function openCountingDoor(serverUrl: string): Promise<CountingDoor> {
  let live = 0;
  const door = createServer((request, response) => {
    const isLive = request.url?.startsWith("/v1/live") === true;
    if (isLive) live++;
    const through = ask(
      `${serverUrl}${request.url ?? "/"}`,
      { method: request.method, headers: request.headers, setHost: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    through.on("error", () => response.destroy());
    response.on("close", () => {
      if (isLive) live--;
      through.destroy();
    });
    request.pipe(through);
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    live: () => live,
    close() {
      door.close();
      door.closeAllConnections();
    },
  };
}
