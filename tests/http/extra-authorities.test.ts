import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:https";
import { request as sendRequest } from "node:http";
import { join, resolve } from "node:path";
import tls, { createSecureContext, TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { runCli } from "#cli/program.ts";
import { systemClock } from "#server/lib/clock.ts";
import { createGuardedPost } from "#server/fetch/guarded-post.ts";
import { fetchOutside, setUpNetwork } from "#server/fetch/process-network.ts";
import { createS3Blobs } from "#storage/blobs/s3.ts";
import { openDatabase } from "#storage/database/open.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { runServerToItsEnd } from "../support/servers/child-server.ts";
import { runCommand } from "../support/servers/cli.ts";
import { settingsOf } from "../support/servers/server.ts";
import { adaOn, childForTest, modelForTest, placeForTest } from "../support/test-scope.ts";

/** A certificate of 127.0.0.1 that is its own authority, and its key. Nobody trusts it without the setting. */
const file = resolve("e2e/support/self-signed.pem");
const pem = await readFile(file, "utf8");

const none = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };

test("a model behind a certificate of the operator's own authority answers", async () => {
  const model = await modelForTest();
  const front = createSecureServer({ key: pem, cert: pem }, (request, response) => {
    const { method, headers, url } = request;
    const onward = sendRequest(`http://127.0.0.1:${model.port}${url}`, { method, headers }, (from) => {
      response.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(response);
    });
    request.pipe(onward);
  });
  const { port, close } = await listenLocally(front);
  onTestFinished(close);
  const child = await childForTest(await placeForTest("sqlite"), undefined, {
    OPENAI_BASE_URL: `https://127.0.0.1:${port}/v1`,
    OPENAI_MODEL: "fixture-1",
    EXTRA_CA_FILE: file,
  });
  expect((await sendAndWait(adaOn(child), "Hello tokens=3")).reply.end).toMatchObject({ state: "completed" });
});

/** A TLS server, and one that speaks first as PostgreSQL does. They count the clients that trust their certificate. */
async function startCounter() {
  const counter = { trusted: 0 };
  const count = (socket: TLSSocket) => {
    counter.trusted++;
    socket.destroy();
  };
  const secure = await listenLocally(
    tls.createServer({ key: pem, cert: pem }, count).on("tlsClientError", () => {}),
  );
  const postgres = await listenLocally(
    createServer((socket: Socket) => {
      socket.once("data", () => {
        socket.write("S");
        const secureContext = createSecureContext({ key: pem, cert: pem });
        const encrypted = new TLSSocket(socket, { isServer: true, secureContext });
        encrypted.on("error", () => socket.destroy());
        encrypted.once("secure", () => count(encrypted));
      });
    }),
  );
  onTestFinished(async () => {
    await secure.close();
    await postgres.close();
  });
  return { port: secure.port, postgres: postgres.port, counter };
}

test("every kind of connection with TLS trusts the authorities of EXTRA_CA_FILE", async () => {
  const trusted = tls.getCACertificates("default");
  onTestFinished(() => {
    tls.setDefaultCACertificates(trusted);
    setUpNetwork({ extraCaFile: undefined, outgoingProxy: none });
  });
  const { port, postgres, counter } = await startCounter();
  const host = `127.0.0.1:${port}`;
  const dataDir = (await placeForTest("sqlite")).dataDir;
  const post = createGuardedPost({ enabled: true, allowedHosts: [host], timeoutMs: 5_000, bytesMax: 1 });
  const access = { region: "a", accessKeyId: "a", secretAccessKey: "a" };
  const bucket = createS3Blobs({ endpoint: `https://${host}`, bucket: "a", style: "path", ...access });
  const signal = AbortSignal.timeout(20_000);
  const connections: Record<string, () => Promise<unknown>> = {
    "a provider": async () => await fetchOutside(`https://${host}`),
    "a webhook": async () => await post.post(`https://${host}/`, { headers: {}, body: "", signal }),
    "a bucket": async () => await bucket.size("a"),
    PostgreSQL: async () =>
      await openDatabase({
        databaseUrl: `postgres://a:b@127.0.0.1:${postgres}/c?sslmode=verify-full`,
        dataDir,
      }),
  };
  const connectAll = async (check: (name: string) => Promise<void>) => {
    for (const [name, connect] of Object.entries(connections)) {
      counter.trusted = 0;
      await connect().catch(() => {});
      await check(name);
    }
  };
  await connectAll(async (name) => expect(counter.trusted, name).toBe(0));
  setUpNetwork({ extraCaFile: file, outgoingProxy: none });
  // A client may have closed its connection before the server has noticed that it trusts the certificate.
  await connectAll(async (name) => await expect.poll(() => counter.trusted, { message: name }).not.toBe(0));
});

test("a file that is missing or has no certificate stops the server and its commands, with the remedy", async () => {
  const place = await placeForTest("sqlite");
  const write = async (name: string, text: string) => {
    await writeFile(join(place.dataDir, name), text);
    return join(place.dataDir, name);
  };
  const cases = [
    [join(place.dataDir, "none.pem"), /EXTRA_CA_FILE cannot be read: ENOENT/],
    [await write("empty.pem", "hello"), /EXTRA_CA_FILE has no certificate: .*empty\.pem/],
    [
      await write("bad.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
      /EXTRA_CA_FILE has a certificate that cannot be read: .*bad\.pem/,
    ],
  ] as const;
  for (const [path, message] of cases) {
    const { code, stderr } = await runServerToItsEnd(settingsOf(place, undefined, { EXTRA_CA_FILE: path }));
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain("Set it to a file with the certificates of your authorities in the PEM format");
    expect((await runCommand(place, ["doctor"], { EXTRA_CA_FILE: path })).err).toMatch(message);
  }
});

test("the doctor says when a certificate of the file has expired", async () => {
  const trusted = tls.getCACertificates("default");
  onTestFinished(() => tls.setDefaultCACertificates(trusted));
  const place = await placeForTest("sqlite");
  const found = async (clock: typeof systemClock) => {
    let out = "";
    await runCli(["doctor", "--json"], {
      folder: place.dataDir,
      environment: settingsOf(place, undefined, { EXTRA_CA_FILE: file }),
      clock,
      out: (words) => void (out += words),
      err: () => {},
    });
    const { faults } = JSON.parse(out) as { faults: { check: string; about: string }[] };
    return faults.filter(({ check }) => check === "certificates").map(({ about }) => about);
  };
  expect(await found(systemClock)).toEqual([]);
  expect(await found({ ...systemClock, now: () => Date.parse("2127-01-01") })).toEqual([
    expect.stringContaining("EXTRA_CA_FILE has a certificate that expired on Oct 30"),
  ]);
});
