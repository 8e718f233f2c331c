import { beforeAll, describe, expect } from "vitest";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { keyHeaders, visitor, type Answer, type Visitor } from "../support/clients/visitor.ts";

const preflight = (Origin: string) => ({
  headers: {
    Origin,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "authorization,content-type,aui-sdk",
  },
});

const mayRead = (answer: Answer): boolean => answer.headers.get("access-control-allow-origin") !== null;

describe("pages of other origins, with a list for each app", () => {
  describeServer(
    "two apps",
    { on: ["sqlite"], settings: { PUBLIC_URL: "http://chat.example" } },
    (server) => {
      let shop: Visitor;
      let home: Visitor;
      beforeAll(async () => {
        const { place, url } = server();
        await runCommandJson(place, "app", "create", "shop");
        const { key } = await runCommandJson<{ key: string }>(
          place,
          "key",
          "create",
          "shop",
          "--app",
          "shop",
        );
        shop = visitor(url, "cleo", keyHeaders(key, { userId: "user_cleo", workspaceId: "org_looms" }));
        home = server().inNewWorkspace();
      });

      const from = (Origin: string) => ({ headers: { Origin } });
      const ask = async (who: Visitor, origin: string) => await who.send("GET", "/v1/threads", from(origin));
      const asks = async (origin: string) =>
        await server().guest.send("OPTIONS", "/v1/threads", preflight(origin));
      const change = async (...args: string[]) => {
        await runCommandJson(server().place, "origin", ...args);
        // A change applies within a second.
        server().clock.advance(1_000);
      };

      test("can be listed while the server runs, and may call only the apps that list them", async () => {
        expect(mayRead(await ask(home, "https://evil.example"))).toBe(true);

        await change("add", "https://app.example");
        expect((await ask(home, "https://app.example")).status).toBe(200);
        expect(mayRead(await ask(home, "https://app.example"))).toBe(true);
        const refused = await ask(home, "https://evil.example");
        expectProblem(refused, "origin-not-allowed");
        expect(mayRead(refused)).toBe(false);

        // The other app has no list, so every page may call it, and a preflight does not name an app.
        expect(mayRead(await asks("https://evil.example"))).toBe(true);
        expect((await ask(shop, "https://evil.example")).status).toBe(200);

        await change("add", "https://shop.example", "--app", "shop");
        expect(mayRead(await asks("https://evil.example"))).toBe(false);
        for (const origin of ["https://app.example", "https://shop.example"])
          expect(mayRead(await asks(origin)), origin).toBe(true);
        expectProblem(await ask(shop, "https://app.example"), "origin-not-allowed");
        expectProblem(await ask(home, "https://shop.example"), "origin-not-allowed");
        expect(mayRead(await ask(shop, "https://shop.example"))).toBe(true);

        await change("remove", "https://app.example");
        await change("remove", "https://shop.example", "--app", "shop");
        expect(mayRead(await asks("https://evil.example"))).toBe(true);
        expect((await ask(home, "https://evil.example")).status).toBe(200);
      });

      test("can read the status of errors if they may call, and are refused before anything happens if not", async () => {
        await change("add", "https://app.example");
        const headers = { Origin: "https://app.example" };
        for (const [status, answer] of [
          [404, await home.send("GET", "/v1/threads/x", { headers })],
          [401, await server().guest.send("GET", "/v1/threads", { headers })],
          [404, await home.send("GET", "/v1/nothing", { headers })],
        ] as const) {
          expect(answer.status).toBe(status);
          expect(mayRead(answer), String(status)).toBe(true);
        }
        const before = (await home.call("threads.list")).threads.length;
        const refused = await home.send("POST", "/v1/threads", {
          headers: { Origin: "https://evil.example", "Content-Type": "application/json" },
          body: JSON.stringify({ last_message_at: new Date().toISOString() }),
        });
        expectProblem(refused, "origin-not-allowed");
        expect((await home.call("threads.list")).threads).toHaveLength(before);
        // Without a credential, a request is for the first app. This one has no preflight.
        const signUp = async (origin: string) =>
          await server().guest.send("POST", "/v1/auth/tokens/anonymous", from(origin));
        expectProblem(await signUp("https://evil.example"), "origin-not-allowed");
        expect(mayRead(await signUp("https://app.example"))).toBe(true);
        await change("remove", "https://app.example");
      });

      test("of our own, and programs that are not pages, may always call", async () => {
        await change("add", "https://app.example");
        const own = `http://127.0.0.1:${server().port}`;
        expect((await ask(home, own)).status).toBe(200);
        expect((await home.ask("threads.list")).status).toBe(200);
        for (const origin of ["null", "file://", "http://127.0.0.1:1", own.replace("127.0.0.1", "localhost")])
          expectProblem(await ask(home, origin), "origin-not-allowed");
        await change("remove", "https://app.example");
      });
    },
  );

  describeServer("on a server of one machine", { on: ["sqlite"] }, (server) => {
    test("may call from the same machine if there is no list", async () => {
      for (const [origin, status] of [
        ["http://localhost:5173", 200],
        ["http://127.0.0.1:1", 200],
        ["https://evil.example", 403],
        ["http://192.168.1.7", 403],
        ["null", 403],
      ] as const) {
        const from = { headers: { Origin: origin } };
        const answer = await server().guest.send("POST", "/v1/auth/tokens/anonymous", from);
        expect([answer.status, mayRead(answer)], origin).toEqual([status, status === 200]);
        const asked = await server().guest.send("OPTIONS", "/v1/threads", preflight(origin));
        expect(mayRead(asked), origin).toBe(status === 200);
      }
    });
  });

  describeServer(
    "with a setting for all apps",
    { on: ["sqlite"], settings: { PARLANCE_ALLOWED_ORIGINS: "https://one.example" } },
    (server) => {
      test("may call if the setting or the app lists them", async ({ ada }) => {
        const ask = async (origin: string) =>
          await ada.send("GET", "/v1/threads", { headers: { Origin: origin } });
        await runCommandJson(server().place, "origin", "add", "https://two.example");
        server().clock.advance(1_000);
        for (const origin of ["https://one.example", "https://two.example"])
          expect(mayRead(await ask(origin)), origin).toBe(true);
        expectProblem(await ask("https://three.example"), "origin-not-allowed");
        const listed = await runCommand(server().place, ["origin", "list"], {
          PARLANCE_ALLOWED_ORIGINS: "https://one.example",
        });
        expect(listed.out).toMatch(/one\.example +PARLANCE_ALLOWED_ORIGINS\n.*two\.example +origin add/);
      });
    },
  );
});
