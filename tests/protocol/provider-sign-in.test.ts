import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Issuer } from "#fixtures/issuer/issuer.ts";
import { providerOf, acceptTokensOf } from "../support/servers/provider.ts";
import { describeServer } from "../support/servers/server.ts";
import { clients, errorOf, expectedError, tokenCloud } from "./clients.ts";

describeServer("a client whose users sign in with a provider", {}, (server) => {
  let provider: Issuer;
  beforeAll(async () => {
    provider = await providerOf(server());
    await acceptTokensOf(server(), provider, "--audience", "parlance");
  });
  afterAll(async () => await provider.close());

  describe.for(clients)("%s", ([name, client]) => {
    const sub = `user of ${name}`.replaceAll(" ", "_");
    const sign = async (claims: object = {}) => await provider.sign({ sub, aud: "parlance", ...claims });
    /** A client of the app, and how often it requested the provider's token. */
    const newClient = (claims?: object) => {
      let count = 0;
      const cloud = tokenCloud(client, server(), async () => {
        count += 1;
        return await sign(claims);
      });
      return { cloud, requests: () => count };
    };

    test("requests the provider's token once, and then uses the token that it gets in exchange", async () => {
      const fetched = vi.spyOn(globalThis, "fetch");
      try {
        const { cloud, requests } = newClient();
        const { thread_id } = await cloud.threads.create({ last_message_at: new Date(), title: "Mine" });
        expect((await cloud.threads.get(thread_id)).title).toBe("Mine");
        await cloud.threads.update(thread_id, { title: "Still mine" });
        expect((await cloud.threads.list()).threads.map(({ title }) => title)).toEqual(["Still mine"]);
        await cloud.threads.delete(thread_id);
        expect(requests()).toBe(1);
        const bearers = fetched.mock.calls
          .filter(([to]) => (to instanceof Request ? to.url : to.toString()).startsWith(server().url))
          .map(([, init]) => new Headers(init?.headers).get("authorization"));
        expect(bearers).toHaveLength(5);
        expect(new Set(bearers.slice(1)).size, "the exchanged token is reused").toBe(1);
        expect(bearers[1]).not.toBe(bearers[0]);
      } finally {
        fetched.mockRestore();
      }
    });

    test("uses the token that comes with an error response", async () => {
      const { cloud, requests } = newClient();
      expect(await errorOf(cloud.threads.get("thread_0nothing"))).toEqual(
        expectedError(client, "thread-not-found"),
      );
      await cloud.threads.list();
      expect(requests()).toBe(1);
    });

    test("requests a new token when both have expired, and is the same user", async () => {
      const { cloud, requests } = newClient();
      const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
      const late = newClient();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6 * 60_000 });
      try {
        expect((await cloud.threads.list()).threads.map(({ id }) => id)).toContain(thread_id);
        expect(requests()).toBe(2);
        expect((await late.cloud.threads.list()).threads.map(({ id }) => id)).toContain(thread_id);
      } finally {
        vi.useRealTimers();
      }
    });

    test("gets the protocol's status and error text when it is refused", async () => {
      expect(await errorOf(newClient({ aud: "else" }).cloud.threads.list())).toEqual(
        expectedError(client, "wrong-audience"),
      );
      expect(await errorOf(newClient({ iss: "https://else.example/" }).cloud.threads.list())).toEqual(
        expectedError(client, "unknown-issuer"),
      );
    });

    test("has messages, runs and a second device as with other sign-ins", async () => {
      const { cloud } = newClient();
      const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
      const content = { role: "user", content: [{ type: "text", text: "Hello" }] };
      const { message_id } = await cloud.threads.messages.create(thread_id, {
        parent_id: null,
        format: "aui/v0",
        content,
      });
      const elsewhere = newClient().cloud;
      const { messages } = await elsewhere.threads.messages.list(thread_id);
      expect(messages.map(({ id }) => id)).toEqual([message_id]);
      const title = await elsewhere.runs.stream({
        thread_id,
        assistant_id: "system/thread_title",
        messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as never,
      });
      await title.pipeTo(new WritableStream());
    });
  });
});
