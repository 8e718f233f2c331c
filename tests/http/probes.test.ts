import { once } from "node:events";
import { rm, truncate, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { engines } from "../support/postgres/postgres.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, newPlace, startTestServer, type TestServer } from "../support/servers/server.ts";
import { canMountDisks, mountSmallDisk } from "../support/servers/small-disk.ts";

const html = "text/html,application/xhtml+xml,*/*;q=0.8";

/** The status of `/readyz` and its checks, later than the lifetime of an earlier answer. */
async function readiness(server: TestServer): Promise<unknown[]> {
  server.clock.advance(1_100);
  const { status, body } = await server.guest.send("GET", "/readyz");
  return [status, (body as { checks?: unknown }).checks];
}

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

describeServer("a request of a probe", {}, (server) => {
  test("reports without a credential whether the process answers and whether the server accepts writes", async () => {
    const live = await server().guest.send("GET", "/livez");
    expect([live.status, live.body]).toEqual([200, { ok: true }]);
    const ready = await server().guest.send("GET", "/readyz");
    expect([ready.status, ready.headers.get("cache-control"), ready.body]).toEqual([
      200,
      "no-store",
      { ready: true, checks: { server: "ok", database: "ok", disk: "ok", files: "ok" } },
    ]);
  });

  test("for a path that does not exist is never answered with the web page", async () => {
    for (const path of [
      "/metrics",
      "/health",
      "/healthcheck",
      "/live",
      "/ready/",
      "/readyz/x",
      "/docs/x",
      "/openapi",
      "/openapi.yaml",
      "/.well-known/security.txt",
      "/assets/nothing.js",
      "/v1",
      "/v1/nothing",
      "/v2.json",
    ])
      for (const method of ["GET", "HEAD"]) {
        const answer = await server().guest.send(method, path, { headers: { Accept: html } });
        expect(answer.status, `${method} ${path}`).toBe(404);
        if (method === "GET") expectProblem(answer, "not-found");
      }
    for (const path of ["/search", "/nothing"])
      expectProblem(await server().guest.send("GET", path), "not-found");
    expectProblem(await server().guest.send("POST", "/search"), "method-not-allowed");
  });

  test("for the start page, and a browser's for any page, is answered with the web page", async () => {
    const start = await server().guest.send("GET", "/");
    const other = await server().guest.send("GET", "/t/thread_0x", { headers: { Accept: html } });
    for (const { status, text, headers } of [start, other])
      expect([status, headers.get("vary"), text]).toEqual([
        200,
        "Accept",
        expect.stringContaining("Web app"),
      ]);
  });
});

describe("readiness", () => {
  test("names the failing part of the storage without its path, and is checked once a second", async () => {
    const place = await newPlace("sqlite");
    undo.push(place.remove);
    const server = await startTestServer({ engine: "sqlite", place });
    undo.push(server.close);
    expect((await readiness(server))[0]).toBe(200);
    await rm(place.dataDir, { recursive: true });
    expect((await server.guest.send("GET", "/readyz")).status, "the answer of this second").toBe(200);
    expect(await readiness(server)).toEqual([
      503,
      { server: "ok", database: "missing", disk: "missing", files: "missing" },
    ]);
    expect((await server.guest.send("GET", "/livez")).status).toBe(200);
    expect(server.log.lines().filter(({ msg }) => msg === "not ready")).toHaveLength(1);
  });

  test.runIf(engines.includes("postgres"))("is lost while PostgreSQL cannot be reached", async () => {
    const place = await newPlace("postgres");
    undo.push(place.remove);
    const proxy = await createCuttableProxy(place.databaseUrl!);
    undo.push(proxy.close);
    const server = await startTestServer({
      engine: "postgres",
      place: { ...place, databaseUrl: proxy.url },
    });
    undo.push(server.close);
    await proxy.cut();
    expect(await readiness(server)).toMatchObject([503, { database: "unreachable", files: "ok" }]);
    await proxy.restore();
    expect(await readiness(server)).toMatchObject([200, { database: "ok" }]);
  });

  test("is lost while the bucket cannot be reached", async () => {
    const settings = {
      S3_ENDPOINT: "http://127.0.0.1:9",
      S3_BUCKET: "parlance",
      S3_ACCESS_KEY_ID: "ada",
      S3_SECRET_ACCESS_KEY: "terribly-secret",
    };
    const server = await startTestServer({ engine: "sqlite", settings });
    undo.push(server.close);
    expect(await readiness(server)).toMatchObject([
      503,
      { database: "ok", files: expect.stringMatching(/unreachable|timeout/) },
    ]);
  });

  test.runIf(canMountDisks())("is lost while the disk is nearly full", async () => {
    const place = await newPlace("sqlite");
    undo.push(place.remove, mountSmallDisk(place.dataDir, 40));
    const server = await startTestServer({ engine: "sqlite", place });
    undo.push(server.close);
    expect((await readiness(server))[0]).toBe(200);
    const filler = join(place.dataDir, "filler");
    await writeFile(filler, Buffer.alloc(30 * 1024 * 1024));
    expect(await readiness(server)).toMatchObject([503, { database: "ok", disk: "full" }]);
    await truncate(filler);
    expect((await readiness(server))[0]).toBe(200);
  });

  test("is lost as soon as the server shuts down", async () => {
    const server = await startTestServer({ engine: "sqlite" });
    const { hostname, port } = new URL(server.url);
    const probe = connect(Number(port), hostname);
    let answer = "";
    probe.setEncoding("utf8").on("data", (text) => (answer += text));
    // The server keeps a connection on which a request has begun.
    probe.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n");
    await server.guest.send("GET", "/livez");
    const closed = server.close();
    probe.write("Connection: close\r\n\r\n");
    await once(probe, "close");
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*"server":"draining"/);
  });
});
