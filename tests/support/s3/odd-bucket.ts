import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { listenLocally } from "#fixtures/local-server.ts";

/** How a bucket fails: it stores half of what it confirms, returns a changed byte, is full, or does not answer uploads. */
export type Oddity = "none" | "half" | "changed" | "full" | "silent";

/** A bucket in memory that can lie. It checks no signatures. */
export async function startOddBucket() {
  const objects = new Map<string, Buffer>();
  const state = { oddity: "none" as Oddity, uploads: 0 };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "GET", url = "/" } = request;
      const { pathname, searchParams } = new URL(url, "http://bucket");
      const key = pathname.split("/").slice(2).join("/");
      if (method === "PUT") {
        state.uploads += 1;
        const body = await buffer(request);
        if (state.oddity === "silent") return;
        if (state.oddity === "full") return void response.writeHead(507).end("<Code>QuotaExceeded</Code>");
        objects.set(key, state.oddity === "half" ? body.subarray(0, body.length / 2) : body);
        return void response.end();
      }
      if (searchParams.has("list-type")) {
        const prefix = searchParams.get("prefix") ?? "";
        const found = [...objects].filter(([name]) => name.startsWith(prefix));
        const entries = found.map(
          ([name, { length }]) => `<Contents><Key>${name}</Key><Size>${length}</Size></Contents>`,
        );
        return void response.end(`<ListBucketResult>${entries.join("")}</ListBucketResult>`);
      }
      if (searchParams.has("uploads")) return void response.end("<ListMultipartUploadsResult/>");
      if (method === "DELETE") {
        objects.delete(key);
        return void response.writeHead(204).end();
      }
      const found = objects.get(key);
      if (found === undefined) return void response.writeHead(404).end();
      // A bucket that lies about what it has stored says that it has all of it.
      const body = Buffer.from(found);
      if (state.oddity === "changed") body[body.length - 40]! ^= 1;
      response.writeHead(200, { "Content-Length": body.length }).end(method === "HEAD" ? undefined : body);
    })();
  });
  const { url, close } = await listenLocally(server);
  return {
    endpoint: url,
    /** The names of the backups in it. */
    names: () => [...objects.keys()].map((key) => key.replace("backups/", "")).toSorted(),
    become: (oddity: Oddity) => void (state.oddity = oddity),
    uploads: () => state.uploads,
    close,
  };
}
