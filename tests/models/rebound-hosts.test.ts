import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import { createServer } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { createOwner, join, newEmail, type Browser } from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { describeServer } from "../support/servers/server.ts";

const host = "models.example.com";
/** A name server that gives a public address to the first `count` queries, and one of this machine to later ones. */
function rebindAfter(count: number): void {
  vi.restoreAllMocks();
  let queries = 0;
  const next = () => [{ address: queries++ < count ? "93.184.215.14" : "127.0.0.1", family: 4 }];
  const original = { lookup: dns.lookup, promised: dnsPromises.lookup };
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, options: object, done: Function) => {
    if (name !== host) return original.lookup(name, options, done as never);
    const [found] = next();
    if ("all" in options && options.all === true) done(null, [found]);
    else done(null, found!.address, found!.family);
  }) as never);
  vi.spyOn(dnsPromises, "lookup").mockImplementation((async (name: string, options: object) =>
    name === host ? next() : await original.promised(name, options)) as never);
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describeServer("a host that moves into the server's own network", { model: true }, (server) => {
  let owner: Browser;
  beforeAll(async () => void (owner = await createOwner(server())));

  test("gets no request if an administrator connected it as a model provider, and all if the owner did", async () => {
    const amyEmail = newEmail("amy");
    const admin = await join(owner, { email: amyEmail, role: "admin" });
    const url = server().model.url.replace("127.0.0.1", host);
    const add = {
      kind: "openai-compatible" as const,
      models: [{ id: "fixture-1", name: "" }],
      api_key: "sk-1",
    };
    rebindAfter(1);
    const before = server().model.requests.length;
    const { provider } = await admin.call("providers.create", {
      body: { ...add, name: "Far", base_url: url },
    });
    expect(provider).toMatchObject({ state: "failing", problem: "provider-private" });
    const params = { provider_id: provider.id };
    const { problem } = await admin.call("providers.test", {
      body: { kind: "openai-compatible", base_url: url, provider_id: provider.id, model: "fixture-1" },
    });
    expect(problem).toBe("provider-private");
    const model = `${provider.id}/fixture-1`;
    const failed = await sendAndWait(admin, "To the cellar", { model } as object);
    expect(failed.reply.end).toMatchObject({ state: "failed", error: { code: "provider-private" } });
    expect(server().model.requests.length).toBe(before);

    // Only the owner decides that it may be there, by saving it while it is there.
    const save = async (who: Browser, name: string) => {
      const { providers } = await owner.call("providers.list");
      const { version } = providers.find(({ id }) => id === provider.id)!;
      await who.call("providers.update", { params, body: { version, name, base_url: url } });
    };
    await save(admin, "Near");
    expect((await sendAndWait(admin, "Still not", { model } as object)).reply.end?.state).toBe("failed");
    rebindAfter(Infinity);
    await save(owner, "Renamed");
    rebindAfter(0);
    expect((await sendAndWait(admin, "Nor now", { model } as object)).reply.end?.state).toBe("failed");
    expect(server().model.requests.length).toBe(before);
    await save(owner, "Cellar");
    const talk = await sendAndWait(admin, "Now it may tokens=1", { model } as object);
    expect(talk.reply.end?.state).toBe("completed");
  });

  test("gets no request as an issuer that an administrator entered", async () => {
    const beaEmail = newEmail("bea");
    const admin = await join(owner, { email: beaEmail, role: "admin" });
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    const { port, close } = await listenLocally(listener);
    onTestFinished(close);
    // The checks of the issuer and of its URL.
    rebindAfter(2);
    const body = {
      kind: "oidc" as const,
      name: "Far",
      issuer: `https://${host}:${port}`,
      client_id: "parlance",
      email_domains: [],
      trusts_email: false,
      admits_everyone: false,
    };
    await admin.fails("provider-not-usable", "signInProviders.create", { body });
    expect(connections).toBe(0);
  });
});
