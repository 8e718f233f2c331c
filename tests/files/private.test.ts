import { describe, expect } from "vitest";
import { attach, gardenPng, open, requestWithHost } from "../support/data/files.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { runCommandJson } from "../support/servers/cli.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "../support/servers/stores.ts";
import { bearer, keyHeaders, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";

const contentWith = (url: string) => ({
  role: "user",
  content: [{ type: "image", image: url }],
  metadata: { custom: {} },
});

describe.for(stores)("private files on %s", async (store) => {
  const settings = { FILES_PRIVATE: "on", ...(await storeSettings(store)) };

  describeServer("a private file", { on: enginesWith(store), settings }, (server) => {
    const bare = (url: string) => url.slice(0, url.indexOf("?"));

    async function mention(who: Visitor, url: string) {
      const { thread_id } = await who.call("threads.create", {
        body: { last_message_at: new Date().toISOString() },
      });
      const body = { parent_id: null, format: "aui/v0", content: contentWith(url) };
      const { message_id } = await who.call("messages.add", { params: { thread_id }, body });
      const shown = async () => {
        const { messages } = await who.call("messages.list", { params: { thread_id } });
        return (messages[0]!.content as ReturnType<typeof contentWith>).content[0]!.image;
      };
      return { thread_id, message_id, shown };
    }

    test("opens by its URL for 15 minutes, and not without a signature (LibreChat #13221)", async () => {
      const ada = server().inNewWorkspace();
      const { publicUrl } = await attach(ada, "garden.png", gardenPng);
      const { status, headers } = await open(publicUrl);
      expect([status, headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
      expect((await open(bare(publicUrl))).status).toBe(403);
      const other = await attach(ada, "other.png", "x");
      expect((await open(bare(other.publicUrl) + new URL(publicUrl).search)).status).toBe(403);
      server().clock.advance(15 * 60_000);
      expect((await open(publicUrl)).status).toBe(403);
    });

    test("has a fresh URL each time that a message is read", async ({ ada }) => {
      const { publicUrl } = await attach(ada, "garden.png", gardenPng);
      const { shown, thread_id } = await mention(ada, publicUrl);
      const first = await shown();
      expect(bare(first)).toBe(bare(publicUrl));
      expect((await open(first)).bytes.equals(gardenPng)).toBe(true);
      expect(await shown()).toBe(first);
      server().clock.advance(60 * 60_000);
      expect((await open(first)).status).toBe(403);
      expect((await open(await shown())).status).toBe(200);
      const branch = await ada.call("messages.branch", { params: { thread_id } });
      expect(JSON.stringify(branch.messages)).toContain(await shown());
    });

    test("stays the same file if a client stores a signed URL", async ({ ada }) => {
      const { publicUrl, key } = await attach(ada, "garden.png", gardenPng);
      const { shown, thread_id, message_id } = await mention(ada, publicUrl);
      server().clock.advance(20 * 60_000);
      const again = await shown();
      await ada.call("messages.update", {
        params: { thread_id, message_id },
        body: { content: contentWith(again) },
      });
      server().clock.advance(20 * 60_000);
      expect((await open(again)).status).toBe(403);
      expect((await open(await shown())).status).toBe(200);
      const { signedUrl } = await ada.call("files.download", { body: { key } });
      const copy = await mention(ada, signedUrl);
      server().clock.advance(20 * 60_000);
      expect((await open(await copy.shown())).status).toBe(200);
    });

    test("of another workspace is not opened by a message that mentions it (CVE-2026-42277)", async () => {
      const { publicUrl } = await attach(server().inNewWorkspace(), "garden.png", gardenPng);
      const eve = server().inNewWorkspace("eve");
      const guessed = bare(publicUrl).replace(/\/[0-9a-z]{26}/, `/${"0".repeat(26)}`);
      const { shown } = await mention(eve, guessed);
      expect((await open(await shown())).status).toBe(404);
    });

    test("of another workspace is not opened by a message with an expired URL", async ({ ada }) => {
      const { publicUrl } = await attach(ada, "garden.png", gardenPng);
      await mention(ada, publicUrl);
      for (const leaked of [publicUrl, bare(publicUrl)])
        for (const eve of [server().inNewWorkspace("eve"), await server().anonymous()]) {
          const { shown, thread_id } = await mention(eve, leaked);
          expect(await shown()).toBe(bare(publicUrl));
          expect((await open(await shown())).status).toBe(403);
          const branch = await eve.call("messages.branch", { params: { thread_id } });
          expect(JSON.stringify(branch.messages)).not.toContain("signature=");
        }
    });

    test("opens in threads that a visitor moved to an account", async ({ ada }) => {
      const tokens = await signUp(server().url);
      const dan = visitor(server().url, "dan", { ...bearer(tokens.access_token), ...newAddress() });
      const { publicUrl } = await attach(dan, "garden.png", gardenPng);
      const { thread_id } = await mention(dan, publicUrl);
      await ada.call("threads.claim", { body: { refresh_token: tokens.refresh_token.token } });
      server().clock.advance(20 * 60_000);
      const { messages } = await ada.call("messages.list", { params: { thread_id } });
      const { image } = (messages[0]!.content as ReturnType<typeof contentWith>).content[0]!;
      expect((await open(image)).status).toBe(200);
    });

    test("has a new URL for an API key of its app that knows a signed one, and for no one else", async () => {
      const ada = server().inNewWorkspace();
      const { publicUrl, key } = await attach(ada, "garden.png", gardenPng);
      server().clock.advance(20 * 60_000);
      const backend = server().inNewWorkspace();
      const renew = async (who: Visitor, url: string) => await who.ask("files.download", { body: { url } });
      const { body } = await renew(backend, publicUrl);
      expect((await open((body as { signedUrl: string }).signedUrl)).bytes.equals(gardenPng)).toBe(true);

      // What the key knows must be a signed URL: neither the file's key, nor its URL without a signature.
      const forged = publicUrl.replace(/expires=\d+/, "expires=1");
      for (const url of [bare(publicUrl), forged]) expectProblem(await renew(backend, url), "file-not-found");
      await backend.fails("file-not-found", "files.download", { body: { key } });

      const { token } = await backend.call("auth.mint", {});
      const otherApp = await keyOfNewApp(server());
      const strangers = [await server().anonymous("eve"), server().withToken(token), otherApp];
      for (const stranger of strangers) expectProblem(await renew(stranger, publicUrl), "file-not-found");
    });

    test("does not change other text of a message", async ({ ada }) => {
      const odd = 'https://example.org/v1/content/file_0/x?expires=1&signature=a "\\u0000 /file_0';
      const { shown } = await mention(ada, odd);
      expect(await shown()).toBe(odd);
    });
  });
});

describeServer(
  "a separate origin for files",
  { on: ["sqlite"], settings: { FILES_ORIGIN: "http://files.localhost:1" } },
  (server) => {
    test("accepts and serves files and nothing else", async () => {
      const promised = await server()
        .inNewWorkspace()
        .call("files.upload", { body: { filename: "garden.png" } });
      for (const url of [promised.signedUrl, promised.publicUrl])
        expect(new URL(url).origin).toBe("http://files.localhost:1");
      const ask = async (url: string, init: { method?: string; body?: string } = {}) => {
        const { pathname, search } = new URL(url, server().url);
        return await requestWithHost(server().url, "files.localhost:1", pathname + search, init);
      };
      expect((await ask(promised.signedUrl, { method: "PUT", body: "garden" })).status).toBe(200);
      expect((await ask(promised.publicUrl)).text).toBe("garden");
      // URLs from before that setting redirect there.
      const { pathname } = new URL(promised.publicUrl);
      const led = await open(`${server().url}${pathname}?download=true`);
      expect([led.status, led.headers.get("location"), led.text]).toEqual([
        308,
        `${promised.publicUrl}?download=true`,
        "",
      ]);
      for (const path of ["/", "/files", "/v1/threads", "/v1/auth/me", "/docs", "/assets/x.js"])
        expect((await ask(path)).status, path).toBe(404);
    });

    test("can be used by our own page", async () => {
      const policy = (await server().guest.send("GET", "/")).headers.get("content-security-policy")!;
      for (const part of ["img-src", "connect-src", "media-src"])
        expect(policy.split("; ").find((each) => each.startsWith(part))).toContain(
          "http://files.localhost:1",
        );
    });
  },
);

/** An API key's visitor in an app that was created for it. */
async function keyOfNewApp({ place, url }: TestServer): Promise<Visitor> {
  await runCommandJson(place, "app", "create", "shop");
  const words = ["key", "create", "shop", "--app", "shop"];
  const { key } = await runCommandJson<{ key: string }>(place, ...words);
  return visitor(url, "the shop", keyHeaders(key, { userId: "user_shop", workspaceId: "org_shop" }));
}
