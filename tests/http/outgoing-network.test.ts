import dnsPromises from "node:dns/promises";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { text } from "node:stream/consumers";
import { Readable } from "node:stream";
import tls from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { certificate, startConnectProxy } from "#fixtures/connect-proxy/connect-proxy.ts";
import { listenLocally } from "#fixtures/local-server.ts";
import { createGuardedFetch } from "#server/fetch/guarded-fetch.ts";
import { createGuardedPost } from "#server/fetch/guarded-post.ts";
import { setUpNetwork } from "#server/fetch/process-network.ts";
import { fetchFromProvider } from "#server/sign-in/provider-fetch.ts";
import { createS3Blobs } from "#storage/blobs/s3.ts";

const host = "models.example.com";
const address = "93.184.216.34";
const none = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };

test("sign-in providers, webhooks, URLs of people and a bucket are reached through HTTPS_PROXY, except hosts of NO_PROXY", async () => {
  const received: { line: string; body: string }[] = [];
  const target = await listenLocally(
    createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ line: `${request.method} ${request.headers.host}${request.url}`, body });
        response.writeHead(200, { "Content-Type": "application/pdf" }).end(`answer to ${request.url}`);
      });
    }),
  );
  const proxy = await startConnectProxy({ port: target.port });
  const trusted = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...trusted, certificate]);
  const lookup = dnsPromises.lookup;
  vi.spyOn(dnsPromises, "lookup").mockImplementation((async (name: string, options: object) =>
    name === host ? [{ address, family: 4 }] : await lookup(name, options)) as never);
  syncBuiltinESMExports();
  onTestFinished(async () => {
    setUpNetwork({ extraCaFile: undefined, outgoingProxy: none });
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    tls.setDefaultCACertificates(trusted);
    await proxy.close();
    await target.close();
  });
  setUpNetwork({ extraCaFile: undefined, outgoingProxy: { ...none, httpsProxy: proxy.url } });

  const far = `https://${host}`;
  const signal = AbortSignal.timeout(20_000);
  const open = { enabled: true, allowedHosts: [] };
  const asked = async (ask: () => Promise<unknown>) => {
    proxy.asked.length = 0;
    const answer = await ask();
    return { answer, asked: [...proxy.asked], last: received.at(-1)! };
  };
  const body = async (response: Response) => await response.text();

  // Only the proxy leads to the target, which keeps its tunnels open. It is asked for a name, and where the address was
  // checked, for the address.
  expect(await asked(async () => await body(await fetchFromProvider(`${far}/keys`, {})))).toMatchObject({
    answer: "answer to /keys",
    asked: [`${host}:443`],
    last: { line: `GET ${host}/keys` },
  });
  const publicOnly = { publicOnly: true };
  expect(
    await asked(async () => await body(await fetchFromProvider(`${far}/public`, {}, publicOnly))),
  ).toMatchObject({ answer: "answer to /public", asked: [`${address}:443`] });

  const { post } = createGuardedPost({ ...open, timeoutMs: 10_000, bytesMax: 100 });
  expect(
    await asked(async () => await post(`${far}/hook`, { headers: { a: "b" }, body: "event", signal })),
  ).toMatchObject({
    answer: { status: 200, text: "answer to /hook" },
    last: { line: `POST ${host}/hook`, body: "event" },
  });

  const read = createGuardedFetch({ ...open, logger: { info() {} } });
  const wanted = { field: "body.url", types: ["application/pdf"], bytesMax: 1_000, signal };
  const fetched = await asked(async () => String((await read({ url: `${far}/a.pdf`, ...wanted })).bytes));
  expect(fetched).toMatchObject({ answer: "answer to /a.pdf", last: { line: `GET ${host}/a.pdf` } });

  const access = { region: "a", accessKeyId: "a", secretAccessKey: "a" };
  const bucket = createS3Blobs({ endpoint: far, bucket: "files", style: "path", ...access });
  const bytes = "garden ".repeat(100_000);
  const stored = await asked(
    async () =>
      await bucket.put("one", Readable.from([Buffer.from(bytes)]), { sizeBytes: bytes.length, signal }),
  );
  expect(stored.answer).toBe(bytes.length);
  expect(stored.last.line).toBe(`PUT ${host}/files/one`);
  expect(stored.last.body === bytes).toBe(true);
  expect(await text(await bucket.read("one"))).toBe("answer to /files/one");

  // Without the proxy, the name has the address of somebody else, which is not asked here.
  setUpNetwork({
    extraCaFile: undefined,
    outgoingProxy: { ...none, httpsProxy: proxy.url, noProxy: ["example.com"] },
  });
  vi.mocked(dnsPromises.lookup).mockImplementation(async () => {
    throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  });
  syncBuiltinESMExports();
  const refused = await asked(
    async () => await post(`${far}/hook`, { headers: {}, body: "", signal }).catch(String),
  );
  expect(refused).toMatchObject({ answer: expect.stringContaining("has no address") as unknown, asked: [] });
});
