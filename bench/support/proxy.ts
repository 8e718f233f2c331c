import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";

/** The baseline: serves the bare page at / and forwards all other requests to MODEL_URL, without buffering. */
const model = new URL(process.env.MODEL_URL!);
const page = readFileSync(join(import.meta.dirname, "..", "page", "bare.html"));

const server = createServer((incoming, outgoing) => {
  if (incoming.url === "/") return void outgoing.setHeader("Content-Type", "text/html").end(page);
  const { host: _, ...headers } = incoming.headers;
  const forwarded = request(
    { host: model.hostname, port: model.port, path: incoming.url, method: incoming.method, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    },
  );
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});
process.on("SIGTERM", () => process.exit(0));
