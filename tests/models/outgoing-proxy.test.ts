import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { certificate, startConnectProxy, type ConnectProxy } from "#fixtures/connect-proxy/connect-proxy.ts";
import type { BodyInputOf } from "#contract/api.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { createOutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import { fetchFor } from "#server/models/providers/fetch-for.ts";
import { createTransport } from "#server/models/providers/requests/transport.ts";
import { createWatchdog } from "#server/models/providers/requests/watchdog.ts";
import { createOwner, join, newEmail } from "../support/clients/browser.ts";
import { branchOf, sendAndWait } from "../support/clients/conversation.ts";
import { runCommand } from "../support/servers/cli.ts";
import { startTestServer, type TestServer } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { placeForTest } from "../support/test-scope.ts";

const host = "models.example.com";
const credentials = "parlance:p%40ss";
let model: ModelServer;
let proxy: ConnectProxy;
const trusted = tls.getCACertificates("default");

beforeAll(async () => {
  model = await startModelServer();
  proxy = await startConnectProxy({ port: model.port, credentials: decodeURIComponent(credentials) });
  tls.setDefaultCACertificates([...trusted, certificate]);
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await proxy.close();
  await model.close();
});
afterEach(() => {
  proxy.asked.length = 0;
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** What the name server of this machine says about the host; nothing if `address` is undefined. */
function resolveTo(address: string | undefined): void {
  const original = { lookup: dns.lookup, promised: dnsPromises.lookup };
  const missing = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  vi.spyOn(dnsPromises, "lookup").mockImplementation((async (name: string, options: object) => {
    if (name !== host) return await original.promised(name, options);
    if (address === undefined) throw missing;
    return [{ address, family: 4 }];
  }) as never);
  // Direct connections fail.
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, options: object, done: Function) =>
    name === host ? done(missing) : original.lookup(name, options, done as never)) as never);
  syncBuiltinESMExports();
}

const proxyUrl = () => proxy.url.replace("http://", `http://${credentials}@`);

async function start(settings: Record<string, string> = {}): Promise<{ server: TestServer; owner: Visitor }> {
  const server = await startTestServer({
    engine: "sqlite",
    place: await placeForTest("sqlite"),
    settings: { HTTPS_PROXY: proxyUrl(), ...settings },
  });
  onTestFinished(server.close);
  return { server, owner: await createOwner(server) };
}

async function add(who: Visitor, baseUrl: string, more: Partial<BodyInputOf<"providers.create">> = {}) {
  const { provider } = await who.call("providers.create", {
    body: {
      kind: "openai-compatible",
      name: "Far",
      base_url: baseUrl,
      models: [{ id: "fixture-1", name: "" }],
      api_key: "sk-1",
      ...more,
    },
  });
  return { provider, model: `${provider.id}/fixture-1` };
}

const far = `https://${host}/v1`;

async function answerOf(who: Visitor, words: string, modelId: string) {
  const sent = await sendAndWait(who, words, { model: modelId } as object);
  const reply = (await branchOf(who, sent.thread_id)).at(-1)!;
  return { ...sent, reply };
}

test("models are listed, tested and asked through HTTPS_PROXY, and the receipt says where the request went", async () => {
  resolveTo(undefined);
  const { owner } = await start();
  const { provider, model: id } = await add(owner, far);
  expect(provider).toMatchObject({ state: "ready" });
  const tested = await owner.call("providers.test", {
    body: { kind: "openai-compatible", base_url: far, provider_id: provider.id, model: "fixture-1" },
  });
  expect(tested).toMatchObject({ problem: null });
  const { reply, run_id } = await answerOf(owner, "Through the wall tokens=4", id);
  expect(reply.status).toMatchObject({ type: "complete" });
  expect(new Set(proxy.asked)).toEqual(new Set([`${host}:443`]));
  const { receipt } = await owner.call("runs.receipt", { params: { run_id } });
  const recorded = model.requests.find(({ rawBody }) => rawBody.includes("Through the wall"))!;
  expect(receipt.requests[0]).toMatchObject({ host, is_local: false, body_bytes: recorded.rawBody.length });
  expect(recorded.headers).not.toHaveProperty("proxy-authorization");
});

test("http URLs go through HTTP_PROXY, and only through that", async () => {
  resolveTo(undefined);
  const { owner } = await start({ HTTP_PROXY: proxy.url });
  const { model: id } = await add(owner, `http://${host}/v1`);
  expect((await answerOf(owner, "In plain text tokens=2", id)).reply.status).toMatchObject({
    type: "complete",
  });
  // The answer and its title.
  const completions = () => proxy.asked.filter((url) => url === `http://${host}/v1/chat/completions`);
  await expect.poll(() => completions()).toHaveLength(2);
  proxy.asked.length = 0;
  const { owner: other } = await start();
  await add(other, `http://${host}/v1`);
  expect(proxy.asked).toEqual([]);
});

test("lower-case names count, and hosts in NO_PROXY or in the server's own network are reached directly", async () => {
  resolveTo(undefined);
  const { owner } = await start({ HTTPS_PROXY: "", https_proxy: proxyUrl(), HTTP_PROXY: proxy.url });
  await add(owner, far);
  expect(proxy.asked).not.toEqual([]);
  proxy.asked.length = 0;
  const { model: id } = await add(owner, model.url);
  expect((await answerOf(owner, "Next door tokens=2", id)).reply.status).toMatchObject({ type: "complete" });
  const { owner: other } = await start({ no_proxy: "example.com" });
  const { provider } = await add(other, far);
  expect(provider).toMatchObject({ state: "failing", problem: "provider-unreachable" });
  expect(proxy.asked).toEqual([]);
});

test("a provider of an administrator is connected to at a public address that the server has checked", async () => {
  const { owner } = await start();
  const admin = await join(owner, { email: newEmail("amy"), role: "admin" });
  resolveTo("93.184.215.14");
  const { provider, model: id } = await add(admin, far);
  expect(provider).toMatchObject({ state: "ready" });
  expect((await answerOf(owner, "For all tokens=2", id)).reply.status).toMatchObject({ type: "complete" });
  expect(new Set(proxy.asked)).toEqual(new Set(["93.184.215.14:443"]));
  proxy.asked.length = 0;
  // Now the name leads into the network of the proxy.
  resolveTo("10.0.0.7");
  const { reply } = await answerOf(owner, "To the cellar", id);
  expect(reply.status).toMatchObject({ type: "incomplete" });
  const { problem } = await admin.call("providers.test", {
    body: { kind: "openai-compatible", base_url: far, provider_id: provider.id, model: "fixture-1" },
  });
  expect(problem).toBe("provider-private");
  expect(proxy.asked).toEqual([]);
});

test("no question goes through the proxy where only local models are allowed", async () => {
  resolveTo(undefined);
  const { server, owner } = await start({ PARLANCE_LOCAL_ONLY: "on" });
  const { model: id } = await add(owner, far);
  proxy.asked.length = 0;
  const before = model.requests.length;
  const { reply } = await answerOf(owner, "Nobody may read this", id);
  expect(reply.status).toMatchObject({ type: "incomplete" });
  expect(proxy.asked).toEqual([]);
  expect(model.requests.slice(before).filter(({ rawBody }) => rawBody.includes("Nobody may"))).toEqual([]);
  server.log.takeErrors();
});

test.each(["before the tunnel", "in the tunnel"] as const)(
  "a request that waits for a proxy can be aborted, with its connection: %s",
  async (hangs) => {
    const silent = await startConnectProxy({ port: model.port, hangs });
    onTestFinished(silent.close);
    const outgoing = createOutgoingProxy({ httpsProxy: silent.url, noProxy: [] })!;
    const list: typeof fetch = fetchFor({ baseUrl: far, apiKey: undefined, proxy: outgoing }, fetch);
    const ask = async (url: string, { signal }: { signal: AbortSignal }) => {
      const watchdog = createWatchdog(signal, { silenceMs: 1e6, noOutputMs: 1e6, stepMs: 1e6 }, () => {});
      onTestFinished(watchdog.close);
      const options = { localOnly: false, publicOnly: false, proxy: outgoing, onSent: () => {} };
      return await createTransport(watchdog, options).fetch(url, { body: "{}" });
    };
    for (const request of [list, ask]) {
      const caller = new AbortController();
      const answer = request(far, { signal: caller.signal });
      await expect.poll(() => silent.waiting.size).toBe(1);
      caller.abort(new Error("stopped"));
      await expect(answer).rejects.toThrow();
      await expect.poll(() => silent.waiting.size).toBe(0);
    }
  },
);

test("the doctor names a proxy that refuses or cannot be reached", async () => {
  resolveTo(undefined);
  const { server, owner } = await start();
  await add(owner, far);
  const diagnose = async (proxied: Record<string, string>) => {
    const { code, out } = await runCommand(server.place, ["doctor", "--json"], proxied);
    const { faults } = JSON.parse(out) as { faults: { check: string; about: string; remedy: string }[] };
    return { code, faults: faults.filter(({ check }) => check === "outgoing-proxy") };
  };
  expect(await diagnose({ HTTPS_PROXY: proxyUrl() })).toEqual({ code: 0, faults: [] });
  const refused = await diagnose({ HTTPS_PROXY: proxy.url });
  expect(refused.faults).toMatchObject([
    {
      about: `the proxy ${new URL(proxy.url).host} does not connect to ${host}:443 (status 407)`,
      remedy: expect.stringContaining("user and password") as string,
    },
  ]);
  const gone = await diagnose({ HTTPS_PROXY: "127.0.0.1:1" });
  expect(gone.faults).toMatchObject([{ about: "the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED)" }]);
  expect(await diagnose({ HTTPS_PROXY: "127.0.0.1:1", NO_PROXY: host })).toEqual({ code: 0, faults: [] });
  const { owner: refusedOwner } = await start({ HTTPS_PROXY: proxy.url });
  const { provider } = await add(refusedOwner, far);
  expect(provider).toMatchObject({ state: "failing", problem: "provider-unreachable" });
});
